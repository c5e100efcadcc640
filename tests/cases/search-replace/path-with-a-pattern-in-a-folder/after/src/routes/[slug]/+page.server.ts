export const load = async ({ params }) => {
  const limit = 10
  return db.list(params, limit)
}
