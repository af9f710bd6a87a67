"""Meta-evaluation: agreement of metrics with human judgements of the same systems."""
