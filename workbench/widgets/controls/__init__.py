"""The inputs that explorers share. What is asked by them, and drawn, lives in ``explorers``."""
