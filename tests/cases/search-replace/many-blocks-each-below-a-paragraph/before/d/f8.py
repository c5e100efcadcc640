x8
