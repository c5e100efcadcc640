x4
