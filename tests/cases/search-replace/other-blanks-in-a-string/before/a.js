function f(a, "b c") {
  const x = g(a);
  return x;
}
