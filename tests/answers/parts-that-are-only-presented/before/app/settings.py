retries = 1
