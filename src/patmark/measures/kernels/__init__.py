"""Kernels of the measures: functions on words and arrays, without segments or signatures."""
