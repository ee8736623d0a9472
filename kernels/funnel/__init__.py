"""Funnels: one scan over the events of a key finds how far it got.

What is a step, and what is counted of all keys, says the workbench.
"""
