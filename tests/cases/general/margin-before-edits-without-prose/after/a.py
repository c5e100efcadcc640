x = 1

def one():
    x = 10
    return x
