x = 1
beta
