"""Sentence alignment: several methods behind one interface, and the scoring against gold beads."""

from patmark.corpus.alignment.beads import Aligner, Bead

__all__ = ["Aligner", "Bead"]
