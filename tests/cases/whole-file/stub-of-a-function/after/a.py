def f():
    ...


def g():
    return 2
