y7
