width = 2
x = 1  # see there
foo(a, b)
