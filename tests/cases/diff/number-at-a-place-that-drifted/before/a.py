def load_order(db):
    limit = 10
    rows = db.all()
    return rows[:limit]


def load_cart(db):
    limit = 10
    rows = db.all()
    return rows[:limit]  # newest first
