const PORT = 1;

listen(PORT);
