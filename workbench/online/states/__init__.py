"""What a store keeps of each key, by kind of function."""
