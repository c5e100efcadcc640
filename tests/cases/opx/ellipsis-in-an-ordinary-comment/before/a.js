function a() {
  one();
  two();
}

function b() {
  three();
}
