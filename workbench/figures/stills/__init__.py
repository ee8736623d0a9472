"""The pictures that stay in a saved notebook: one writer of SVG for all figures."""
