def f():
    first = 1
    last = 3
    more = 4
