"""Aggregates of groups of other systems, rewritten for Spark; those of lists are in ``lists``.

Aggregates that Spark lacks are answered by windows over the groups, in ``queries``.
"""
