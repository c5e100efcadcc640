export const load = ({ params }) => {
  const limit = 50
  return db.list(params, limit)
}
