x = f(a,
      b)
y = g(a,
      c)
