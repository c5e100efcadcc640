class Shelf:
    def sort(self):
        """Sort by title.

        ```python
        shelf.sort()
        ```

        The same in a script:

        ```
        sort < shelf.txt
        ```
        """
        return sorted(self.books)
