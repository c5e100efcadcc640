def f():
    x = 1
    if x:
        y = 3
