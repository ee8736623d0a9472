"""The pictures that stay in a saved notebook: one writer of SVG for all figures.

It draws what a figure says; what stands in one is said in the figures' own files.
"""
