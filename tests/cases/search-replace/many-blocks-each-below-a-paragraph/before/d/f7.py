x7
