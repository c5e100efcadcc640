"""
Requests

Text.
"""

x = 1
