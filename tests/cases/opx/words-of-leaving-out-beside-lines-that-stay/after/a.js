function a() {
  one();
  two();
}

function b() {
  // same as before
  three();
}
