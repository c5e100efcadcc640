x = f(a,
      b)
y = g(a,
      d)
z = 1
