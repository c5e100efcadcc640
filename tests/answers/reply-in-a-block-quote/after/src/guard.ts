export function guard(user) {
  if (!user) {
    throw new Error("none");
  }
}
