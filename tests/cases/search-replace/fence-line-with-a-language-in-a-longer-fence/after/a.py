"""Doc.

```bash
ls -l
```
"""
