"""Matches as environments of reinforcement learning: PettingZoo's and Gymnasium's."""
