"""One module per format of the offices: a record to documents."""
