"""Funnels: one scan over the events of a key finds how far it got.

The workbench defines the steps, and what is counted over all keys.
"""
