/*
 * One
 */
/*
 * Two
 */
int g(void)
{
	return 1;
}

int f(void)
{
	int a;
	return a;
}
