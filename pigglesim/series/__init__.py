"""Long series of matches, kept in a folder line by line: stopped, killed, resumed, shared out."""
