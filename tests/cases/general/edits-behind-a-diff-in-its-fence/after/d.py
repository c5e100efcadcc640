import d
x = 2
