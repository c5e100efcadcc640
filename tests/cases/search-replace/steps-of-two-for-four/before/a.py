def f(a):
    if a:
        g()
    return a
