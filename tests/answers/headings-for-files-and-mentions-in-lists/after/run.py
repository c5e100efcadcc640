if args.quick:
    go()
