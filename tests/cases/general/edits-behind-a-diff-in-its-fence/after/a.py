import a
x = 2
