"""Which version this is: what records, films and pages say that they were made with."""

__all__ = ["__version__"]

__version__ = "0.1.0"
