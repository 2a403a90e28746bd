"""Public functions; each does in one call the work of a verb of the command line."""
