"""Tests of other systems, read from a checkout of their sources and run through ``wb.sql``.

None of their text is here: whoever has the sources passes their path.
"""
