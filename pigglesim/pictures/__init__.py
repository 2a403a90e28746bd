"""Pictures of what was computed, drawn with matplotlib."""
