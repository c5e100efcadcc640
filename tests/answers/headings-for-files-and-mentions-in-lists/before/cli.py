parser.add_argument("--fast")
