"""Japanese."""
