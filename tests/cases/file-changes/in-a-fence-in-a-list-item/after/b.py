def g():
    x = 1
