"""patmark claims: generated claims and their evaluation."""
