import g
x = 1
