import c
x = 2
