"""NTCIR-9 PatentMT: the automatic evaluation, and the tables of the overview."""
