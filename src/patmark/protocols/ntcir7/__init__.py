"""NTCIR-7: retrieval loss caused by translation, and the tables of the dry run."""

from patmark.protocols.ntcir7.extrinsic import ExtrinsicSettings, evaluate_extrinsically

__all__ = ["ExtrinsicSettings", "evaluate_extrinsically"]
