"""How far the simulation is from counted throws, from itself at a finer step, from a peer."""
