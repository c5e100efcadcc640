x = 2
beta
