"""Window calls as a person looks at them: one partition, its frames, its band."""
