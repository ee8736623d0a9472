"""Window calls over readings: kernels compared with other systems, and plans with Spark's own."""
