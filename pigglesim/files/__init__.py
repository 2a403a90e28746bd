"""The one way in which a file from a stranger is read: regular, small, text, and within limits."""
