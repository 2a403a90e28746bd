"""Balance studies: fairness, the value of each part, and how matches go."""
