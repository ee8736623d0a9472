"""Processes that are killed at every step, in one process and from a seed.

What is put to the test runs unchanged, over a store, a state or a log that counts the *moments* at
which it becomes durable what was done. A kill ends it at one of them, for each of them in turn;
what is durable then is opened again, and must be what it was before or what it is to be, and after
the same thing is done once more, the latter. ``python -m tests.crash --seed 7`` does it again.
"""
