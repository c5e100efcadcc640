"""Limits."""

LIMIT = 10
DEPTH = 3
