y5
