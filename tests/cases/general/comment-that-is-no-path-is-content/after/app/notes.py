# and/or
x = 1
