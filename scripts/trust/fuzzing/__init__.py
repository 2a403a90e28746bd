"""Files from strangers, thrown at every reader: whatever they hold, they end in one clear line."""
