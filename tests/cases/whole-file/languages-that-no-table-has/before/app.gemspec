spec = 1
