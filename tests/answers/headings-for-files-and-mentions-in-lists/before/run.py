if args.fast:
    go()
