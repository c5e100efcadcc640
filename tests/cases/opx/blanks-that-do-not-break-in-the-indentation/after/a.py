def f():
    value = 1
    return value
