"""Inspection of a backfill: costs, origins, checks, skew. Its plans are one level up."""
