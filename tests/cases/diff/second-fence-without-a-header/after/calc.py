LIMIT = 20


def add(a, b):
    return a + b
