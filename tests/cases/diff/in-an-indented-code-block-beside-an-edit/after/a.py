x
v
