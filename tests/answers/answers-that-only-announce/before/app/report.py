for row in rows:
    user = load(row.user_id)
    print(user)
