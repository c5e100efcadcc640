def f():
    # A first
    x()
    # B second
    y()
    z()
