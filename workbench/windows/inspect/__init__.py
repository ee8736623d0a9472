"""Window calls as a person looks at them: partitions and frames. Bands are drawn by ``bands``."""
