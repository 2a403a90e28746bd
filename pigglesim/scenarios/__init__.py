"""Rule tests without physics, one module per game."""
