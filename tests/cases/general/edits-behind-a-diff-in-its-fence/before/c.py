import c
x = 1
