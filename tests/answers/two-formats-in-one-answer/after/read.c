void read(int c)
{
	if (c == EOF)
		stop();
}
