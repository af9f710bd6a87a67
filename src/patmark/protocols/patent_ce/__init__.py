"""Patent-CE: the published agreement of measures with experts who compared claims."""

from patmark.claims import meta_evaluate_claims

__all__ = ["meta_evaluate_claims"]
