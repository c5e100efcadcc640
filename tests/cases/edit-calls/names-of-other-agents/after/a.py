x = 2
z = 2
v
