"""Server of the table in a browser: throw, play, watch, review and study."""
