"""Funnels: one scan over the events of a key finds how far it got."""
