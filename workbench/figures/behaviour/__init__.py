"""Figures of what people do around a funnel's steps; ``funnel`` draws a funnel's own tables."""
