"""Windows over streams, compared with a Python call for each key."""
