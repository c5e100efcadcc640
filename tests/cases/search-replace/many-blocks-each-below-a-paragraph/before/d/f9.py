x9
