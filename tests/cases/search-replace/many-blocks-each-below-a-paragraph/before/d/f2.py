x2
