"""What a store keeps of each key, by kind of function. Where it is written lives in ``stores``."""
