class A:
    def f(self):
        if x:
            foo()

if __name__:
    main()
