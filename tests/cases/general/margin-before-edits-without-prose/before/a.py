x = 1

def one():
    x = 1
    return x
