v = get(a)
w = get(b)
