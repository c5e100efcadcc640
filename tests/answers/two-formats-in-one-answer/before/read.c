void read(int c)
{
	if (c == -1)
		stop();
}
