"""Windows over streams, beside a call of Python for each key."""
