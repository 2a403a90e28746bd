"""The table at which people sit: a match that they play, what lies on it, and its words."""
