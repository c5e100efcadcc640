import e
x = 1
