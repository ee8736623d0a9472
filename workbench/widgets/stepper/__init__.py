"""The step player: a trace as a lesson, its widget and its stills."""
