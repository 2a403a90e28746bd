"""Piggy Six: dice are rolled for points until a six, or until the roller stops."""
