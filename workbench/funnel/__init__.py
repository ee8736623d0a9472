"""Funnels over a Spark table. Groups of whole keys live in ``groups``, windows in ``windows``."""
