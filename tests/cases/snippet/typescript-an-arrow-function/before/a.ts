export const f = () => {
  a();
  b();
  c();
};
