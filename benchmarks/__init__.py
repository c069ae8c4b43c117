"""Measurements, as ratios within one run or medians of several: ``python -m benchmarks NAME [--json]``."""
