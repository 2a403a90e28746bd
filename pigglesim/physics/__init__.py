"""From initial conditions to rest; the only package that touches an engine."""
