"""Meta-evaluation: how well metrics agree with what people said of the same systems."""
