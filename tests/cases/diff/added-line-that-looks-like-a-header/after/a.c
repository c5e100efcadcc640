void f() {
  g();
++ i;
}
int l;
