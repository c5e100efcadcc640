function f(a, b) {
  const x = g(a, b);
  return x;
}
