"""Window calls over a Spark table. The answer on one block lives in ``engine``."""
