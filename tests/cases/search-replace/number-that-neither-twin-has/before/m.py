def a():
    setup()
    retry(3)
    done()


def b():
    setup()
    retry(5)
    done()
