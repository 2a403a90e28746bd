"""Rigid bodies: meshes, their mass, hull and stable poses."""
