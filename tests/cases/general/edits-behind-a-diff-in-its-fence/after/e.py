import e
x = 2
