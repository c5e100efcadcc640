prerun(1)


def a():
    run(2)


def b():
    run(1)
