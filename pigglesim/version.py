"""Which version this is: what records, films and pages say that they were made with."""

__version__ = "0.1.0"
