"""Reproduction of published studies: printed values compared with recomputed ones.

Three studies belong to protocols of patmark; the fourth, WMT 2021, evaluates metrics from Chinese
into English. Each reads its printed numbers from ``published``, recomputes and compares them, and
lists every table and figure of its paper with its status.
"""
