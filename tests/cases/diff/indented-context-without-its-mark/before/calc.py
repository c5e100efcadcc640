def f():
    first = 1
    last = 2
