x12
timeout = 60
