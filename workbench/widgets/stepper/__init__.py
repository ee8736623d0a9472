"""The step player: a trace as a lesson, its pictures, its widget and its stills.

It knows no algorithm: what is shown of each lives in ``lessons``.
"""
