prerun(1)


def a():
    run(1)


def b():
    run(1)
