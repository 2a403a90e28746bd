"""Sources of chance: physics, measured odds, and fair dice."""
