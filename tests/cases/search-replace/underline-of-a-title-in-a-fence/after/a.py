"""
Requests
~~~~~~~~

Text, more.
"""

x = 1
