"""A backfill as a person looks at it: costs, origins, checks, skew. Plans of answers live above."""
