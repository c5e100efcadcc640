def f():
    a()
    b()
    c()
    d()
    return 1
