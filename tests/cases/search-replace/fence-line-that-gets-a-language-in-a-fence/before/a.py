P = """
Answer in
```
{}
```
"""
