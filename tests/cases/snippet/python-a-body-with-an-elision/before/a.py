def f():
    a()
    b()
    c()
    return 1
