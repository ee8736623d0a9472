"""Other systems' own tests, read from a checkout of theirs and asked of ``wb.sql``.

Nothing of their text is here: a person who has their sources says where they are.
"""
