"""Building a test collection, step by step; a finished step is not repeated."""
