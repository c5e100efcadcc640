def f():
    """Text.

    ```
    f()
    ```
    """
