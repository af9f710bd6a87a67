"""Ways of judging, one file each: additive statistics of segments, and a score of their sums."""
