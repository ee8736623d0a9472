"""SQL text parsed into a tree with each short form expanded; nothing here interprets it."""
