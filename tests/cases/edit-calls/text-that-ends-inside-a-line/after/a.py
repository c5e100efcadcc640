x = 1

def f():
    pass


if __name__ == "__main__":
    main()
