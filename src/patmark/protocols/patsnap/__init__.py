"""The PatSnap Patent Translation Bench: nine labels, faults, overall score and grade."""
