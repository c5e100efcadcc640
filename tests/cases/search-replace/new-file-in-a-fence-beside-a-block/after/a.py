x = 2

def f():
    return x
