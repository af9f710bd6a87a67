"""patmark retrieve: search for prior art with translations."""
