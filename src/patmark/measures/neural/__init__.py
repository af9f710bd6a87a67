"""Measures that need a trained model: the extra ``neural``, loaded only when one of them scores."""
