int tries = 1;
int wait = 1;
