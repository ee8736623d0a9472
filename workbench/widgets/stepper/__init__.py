"""The step player: a trace as a lesson, its pictures, its widget and its stills."""
