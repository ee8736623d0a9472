"""Features as of each query, of events and of rows that change, over visits."""
