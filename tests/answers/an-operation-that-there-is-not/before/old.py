def old(): pass
