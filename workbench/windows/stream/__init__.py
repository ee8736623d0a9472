"""Window calls over a streaming table: plans, state and changelogs."""
