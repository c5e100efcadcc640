const t = `
  text
`;
function f(a, b) {
  return a;
}
