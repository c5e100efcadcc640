LIMIT = 10


def add(a, b):
    return a - b
