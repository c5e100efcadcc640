width = 1
x = 1  # look here
foo(a,
    b)
