spec = 2
