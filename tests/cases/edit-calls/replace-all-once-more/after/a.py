v = cached.get(a)
w = cached.get(b)
