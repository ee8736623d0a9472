"""The step player: a trace as a lesson, its pictures, its widget and its stills.

It knows no algorithm; the lesson of each algorithm is made in ``lessons``.
"""
