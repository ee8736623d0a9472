"""Rows that change and go, as events of a backfill. Who sees which lives in ``worker.validity``."""
