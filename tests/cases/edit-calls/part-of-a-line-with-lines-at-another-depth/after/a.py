class A:
    def f(self):
        if x:
            foo()


class B:
    def g(self):
        pass

if __name__:
    main()
