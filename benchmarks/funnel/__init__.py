"""Funnels compared with ClickHouse, DuckDB, Polars and other ways on Spark, with their data."""
