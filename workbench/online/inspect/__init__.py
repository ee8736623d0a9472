"""Compares the features that a view served with the correct ones."""
