"""Queries as text: what it takes to take them apart, and to answer them as the originals do."""
