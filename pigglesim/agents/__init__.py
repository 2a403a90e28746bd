"""Players that decide."""
