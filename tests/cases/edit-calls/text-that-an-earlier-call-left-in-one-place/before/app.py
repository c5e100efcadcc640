def connect():
    timeout = 30
    return open_db(timeout)


def fetch():
    timeout = 30
    return http_get(timeout)
