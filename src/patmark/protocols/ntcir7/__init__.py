"""NTCIR-7: what translations lose in retrieval, and the tables of the dry run."""

from patmark.protocols.ntcir7.extrinsic import ExtrinsicSettings, evaluate_extrinsically

__all__ = ["ExtrinsicSettings", "evaluate_extrinsically"]
