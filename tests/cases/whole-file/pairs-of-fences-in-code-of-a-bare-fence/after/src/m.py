def f():
    """Doc.

    ```
    x
    ```
    """
    return 1
