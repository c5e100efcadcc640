def f(a):
    b = a
    return 7


def g():
    return 20
