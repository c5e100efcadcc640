def f():
    """Doc.

    ```python
    f()
    """
    return 1
