const PI = 3.14;
