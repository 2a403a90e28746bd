"""Initial conditions of a throw, and the motion of the cup."""
