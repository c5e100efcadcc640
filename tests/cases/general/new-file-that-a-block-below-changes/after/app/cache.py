class Cache:
    size = 20
