"""Patent-CE: which measures of generated claims agree with experts who compared two candidates?"""

from patmark.claims.meta import meta_evaluate_claims

__all__ = ["meta_evaluate_claims"]
