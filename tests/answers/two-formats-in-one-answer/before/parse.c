int next(void)
{
	return -1;
}
