app = 1
