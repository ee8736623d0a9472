"""The functions of window calls and aggregations, and the catalogue of what each is.

How they are computed lives in ``engine``.
"""
