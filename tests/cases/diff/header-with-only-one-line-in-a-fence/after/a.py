def load(path):
    f = open(path, "rb")
    return f.read()
