def f():
    log("start")
    debug()
    return 1


def g():
    log("start")
    debug()
    return 2
