if True:
    N = 1
