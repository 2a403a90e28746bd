"""Comparison of bits: with a manifest, and with those of older processors."""
