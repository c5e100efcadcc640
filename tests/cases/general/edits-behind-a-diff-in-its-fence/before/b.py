import b
x = 1
