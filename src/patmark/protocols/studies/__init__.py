"""Published studies computed again: printed values beside recomputed ones.

Three are of protocols that are here; the fourth, WMT 2021, shows which metric to trust from Chinese
into English. Each reads its printed numbers from ``published``, computes what can be computed,
compares, and lists every table and figure of its paper with what became of it.
"""
