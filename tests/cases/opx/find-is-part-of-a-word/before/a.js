max = 10
