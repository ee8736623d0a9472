"""How fast the workbench is, side by side with ClickHouse and with other ways to ask Spark."""
