int next(void)
{
	return EOF;
}
