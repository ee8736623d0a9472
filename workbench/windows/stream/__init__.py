"""Window calls over a streaming table: plans, state and changelogs.

``engine`` computes tables at rest; the code of a stream's tasks lives in ``worker``.
"""
