import { a } from "x";

function f() {
  return a;
}
