def connect():
    timeout = 10
    return open_db(timeout)


def fetch():
    timeout = 5
    return http_get(timeout)
