"""What a view served beside what it had to, for a person. Nothing is served from here."""
