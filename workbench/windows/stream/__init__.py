"""Window calls over a streaming table: plans, state and changelogs.

Tables at rest are answered by ``engine``; what a stream's tasks do lives in ``worker``.
"""
