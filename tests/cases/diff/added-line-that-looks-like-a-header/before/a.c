void f() {
  g();
}
int k;
