"""The states that a store keeps of each key, by kind of function. Stores are in ``stores``."""
