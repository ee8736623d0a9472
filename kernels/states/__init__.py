"""What an aggregate remembers, and how two of these join.

Which rows they are of is the windows' and tiles' matter.
"""
