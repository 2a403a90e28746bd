"""Terminal interface for matches between people and agents."""
