x1
