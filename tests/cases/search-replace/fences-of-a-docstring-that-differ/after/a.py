def f():
    """Doc.

    ```python
    f(1)
    ```
    """
