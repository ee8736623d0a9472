"""Window calls over readings: kernels beside those of others, and plans beside Spark's own."""
