def f(a):
    # Wait 3.5 seconds
    x = load(a)
    y = x + 1


def g(a):
    # Wait 4 seconds
    x = load(a)
    y = x + 1
