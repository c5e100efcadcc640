import d
x = 1
