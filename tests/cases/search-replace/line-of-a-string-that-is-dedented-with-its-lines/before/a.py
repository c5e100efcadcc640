def f():
    if x:
        q = """
            select a
            from b
        """
