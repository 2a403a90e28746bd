"""The public functions: each does in a call what a verb of the command line does."""
