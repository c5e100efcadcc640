def f(a):
    # Keep the cache warm for all readers.
    x = load(a)
    y = x + 2
    return y
