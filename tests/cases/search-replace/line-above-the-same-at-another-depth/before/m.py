def f(a):
    for i in a:
        if i:
            x(i)
    return True
