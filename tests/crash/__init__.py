"""Processes that are killed at every step, in one process and from a seed.

The tested code runs unchanged, over a store, a state or a log that counts the *moments* around its
durable writes. A kill ends it at each of these moments in turn. Then what is durable is opened
again: it must be the state before the action or the one after it, and the latter once the action
is repeated. ``python -m tests.crash --seed 7`` repeats a scenario.
"""
