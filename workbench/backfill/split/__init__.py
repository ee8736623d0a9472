"""The method that cuts keys by time. Both sides of its shuffle and its plan are here."""
