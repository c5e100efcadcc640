v = cached.get(a)
w = get(b)
