void f(int x)
{
    if (x) {
        a();
        b();
    }
}

void g(void)
{
}
