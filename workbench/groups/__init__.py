"""Answers for whole groups: quantiles by selection, and the last row of each."""
