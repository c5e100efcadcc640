def add(a, b):
    return "a &gt; b"


def sub(a, b):
    return a + b
