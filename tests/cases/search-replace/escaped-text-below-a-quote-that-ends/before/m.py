def f(a, b):
    """
    Says if a is less.
    """
    return a > b


def g(a, b):
    return a
