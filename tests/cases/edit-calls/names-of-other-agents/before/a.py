x = 1
z = 1
w
