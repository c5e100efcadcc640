users = load_all(row.user_id for row in rows)
for row in rows:
    user = users[row.user_id]
    print(user)
