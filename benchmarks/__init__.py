"""The speed of the workbench, compared with ClickHouse and other ways to use Spark."""
