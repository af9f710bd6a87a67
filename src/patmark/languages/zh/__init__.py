"""Chinese."""
