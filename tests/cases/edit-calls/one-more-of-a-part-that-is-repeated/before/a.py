cmd -v -v
