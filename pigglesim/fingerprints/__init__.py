"""Whether this machine makes the bits that others made: digests of results, and their manifest."""
