FENCE = """
```
"""
