if x:
    if y:
        a()
        if z:
            b()
