"""What makes a function a kernel, from its decorator to its trace. No algorithm lives here."""
