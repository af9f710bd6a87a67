"""patmark claims: generated claims, and the measures that judge them."""
