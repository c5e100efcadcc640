class A:
    def f(self):
        """Returns two.

        Not one.
        """
        return 2
