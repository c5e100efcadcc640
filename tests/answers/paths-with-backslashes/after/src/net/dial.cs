int tries = 3;
int wait = 5;
