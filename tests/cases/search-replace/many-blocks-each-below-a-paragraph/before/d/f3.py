x3
timeout = 30
