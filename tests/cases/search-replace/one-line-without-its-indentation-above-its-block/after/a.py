if x:
    if y:
        a()
        if z:
            log()
            b()
