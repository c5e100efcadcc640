def load(path):
    f = open(path)
    return f.read()


def other():
    return 2
