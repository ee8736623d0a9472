"""The pictures that stay in a saved notebook: SVG, a file a subject."""
