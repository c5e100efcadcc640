def u():
    return 2
