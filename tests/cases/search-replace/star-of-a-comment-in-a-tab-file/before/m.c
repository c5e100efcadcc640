/*
 * One
 */
int f(void)
{
	int a;
	return a;
}
