"""What people do around the steps: who comes back, paths, drivers. Levels live beside it."""
