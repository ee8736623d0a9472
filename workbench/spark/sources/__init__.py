"""What becomes a table of Spark: tables of other libraries, files, names, and times as text."""
