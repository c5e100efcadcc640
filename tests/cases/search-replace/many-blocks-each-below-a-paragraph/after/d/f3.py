y3
timeout = 30
