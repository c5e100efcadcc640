y8
