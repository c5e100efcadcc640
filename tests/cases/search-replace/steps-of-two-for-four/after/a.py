def f(a):
    if a:
        g()
        if b:
            h()
    return a
