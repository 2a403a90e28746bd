"""A match that people play: its state and saved file, what lies on the table, and its words."""
