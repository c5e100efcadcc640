import { a, b } from "x";

function f() {
  return a + b;
}
