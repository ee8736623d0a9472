"""What SQL of other systems calls our functions and frames, and how it is written.

Both who reads it (``queries``) and who writes it (``to_sql`` of a funnel, a window call and a
backfill) ask here. What a whole query means is not known here.
"""
