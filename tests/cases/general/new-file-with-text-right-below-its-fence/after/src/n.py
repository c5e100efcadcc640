HELP = "x"
