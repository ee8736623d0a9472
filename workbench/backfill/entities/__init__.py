"""Rows that change and go, as the events of a backfill."""
