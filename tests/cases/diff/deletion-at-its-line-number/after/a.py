def f():
    log("start")
    return 1


def g():
    log("start")
    debug()
    return 2
