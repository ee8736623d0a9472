"""The method that cuts keys by time: both sides of its shuffle and its plan.

What tasks of every method share lives in ``worker``.
"""
