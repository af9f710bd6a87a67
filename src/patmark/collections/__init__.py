"""Patent collections: files of the offices, aligned corpora, and prior-art retrieval."""
