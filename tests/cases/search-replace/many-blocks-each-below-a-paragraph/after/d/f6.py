y6
