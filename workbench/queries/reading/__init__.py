"""SQL text read as a tree that has each short form in full; what it means is not known here."""
