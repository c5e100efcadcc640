def f():
    """Doc."""
    return 1
