x0
