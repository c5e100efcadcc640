def a():
    x = 1
    p = 1
    q = 1
    y = 2
