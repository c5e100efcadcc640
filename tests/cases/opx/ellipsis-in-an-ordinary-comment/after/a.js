function a() {
  one();
  two();
}

function b() {
  // ... and the third of all
  three();
}
