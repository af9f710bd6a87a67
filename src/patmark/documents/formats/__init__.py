"""Readers and writers of whole documents, one file per format."""
