"""Times, their parts, texts and distances, as Spark has them; lists and numbers live beside it."""
