"""The pictures that stay in a saved notebook: one writer of SVG for all figures.

It draws any figure; the content of each figure is made in its own file.
"""
