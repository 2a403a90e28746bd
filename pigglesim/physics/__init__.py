"""Simulation from initial conditions to rest; the only package that uses an engine."""
