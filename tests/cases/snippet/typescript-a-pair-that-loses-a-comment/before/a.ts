// Adds one.
function add(a: number) {
  log("add");
  return a + 1;
}
