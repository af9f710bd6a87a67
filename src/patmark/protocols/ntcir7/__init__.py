"""NTCIR-7: what translations lose in retrieval, and the tables of the dry run."""
