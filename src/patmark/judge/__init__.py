"""A language model as a judge: what it is asked, how its answers are read, what they add up to."""
