x
w
