const port = 1;

listen(port);
