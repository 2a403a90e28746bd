"""Faults as they come to a program that is left alone: each is done to the real command line."""
