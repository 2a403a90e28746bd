"""Version of pigglesim, stored in records, films and pages."""

__version__ = "0.1.0"
