"""Readers and writers of judgements: one file for each format."""
