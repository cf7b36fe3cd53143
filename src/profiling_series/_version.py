"""The version of this package, for its parts as well as for its users."""

__version__ = "0.1.0"
