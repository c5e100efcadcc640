count = 1
discount = 2
