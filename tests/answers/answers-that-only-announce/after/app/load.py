def load_all(ids):
    return {user.id: user for user in query(ids)}
