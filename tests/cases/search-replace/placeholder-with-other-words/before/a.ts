export function save(u: User) {
  if (!u.name) throw new Error("name");
  if (!u.mail) throw new Error("mail");
  db.put(u);
}
