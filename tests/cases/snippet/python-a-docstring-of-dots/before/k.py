def f(x):
    """Doc.

    Returns: its square.
    """
    return x * x
