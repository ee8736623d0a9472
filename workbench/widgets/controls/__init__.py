"""The inputs that explorers share."""
