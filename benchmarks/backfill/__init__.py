"""Features as of each query, from events and from rows that change, over visits."""
