"""
Requests 2
~~~~~~~~~~

Text.
"""

x = 1
