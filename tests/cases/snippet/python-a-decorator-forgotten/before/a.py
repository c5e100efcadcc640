@cached
def f():
    return 1
