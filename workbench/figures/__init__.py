"""Figures: data in, a plotly figure out, a file a subject; ``stills`` draws any of them as SVG."""
