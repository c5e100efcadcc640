def f():
    log("start")
    return 1


def g():
    log("start")
    return 2
