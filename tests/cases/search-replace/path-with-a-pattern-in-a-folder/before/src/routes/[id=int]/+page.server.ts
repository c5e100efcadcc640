export const load = ({ params }) => {
  const limit = 10
  return db.list(params, limit)
}
