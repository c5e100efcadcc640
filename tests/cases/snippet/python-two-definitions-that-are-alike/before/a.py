def load_books(path):
    with open(path) as f:
        data = json.load(f)
    return [Item(x) for x in data]


def other():
    return 1
