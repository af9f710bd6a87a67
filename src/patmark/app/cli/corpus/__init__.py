"""patmark corpus: from patent documents to a test collection."""
