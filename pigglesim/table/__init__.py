"""A match at the table: its state and saved file, its pieces and cards, and its words."""
