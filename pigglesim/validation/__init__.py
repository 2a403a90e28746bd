"""Compare the simulation with counted throws, with a finer time step and with another engine."""
