"""Convert to DataFrames: tables of other libraries, files, names of tables, and times as text."""
