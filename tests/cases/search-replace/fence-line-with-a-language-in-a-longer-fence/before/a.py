"""Doc.

```sh
ls
```
"""
