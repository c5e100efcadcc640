x = 1

if __name__ == "__main__":
    main()
