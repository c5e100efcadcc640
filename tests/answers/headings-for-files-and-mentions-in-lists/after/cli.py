parser.add_argument("--quick")
