def load(path):
    f = open(path)
    return f.read()
