x12
timeout = 30
