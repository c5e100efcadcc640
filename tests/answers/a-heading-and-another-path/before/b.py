def helper(): pass
