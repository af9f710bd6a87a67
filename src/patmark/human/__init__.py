"""Campaigns of human evaluation."""
