/// The first match between two points, apart from a place.
fn between(query: &Query, points: [usize; 2], apart: usize) -> Option<usize> {
    let text = query.text();
    let mut results = query.find(text);
    if query.is_partial() {
        results.extend(query.parts(text));
    }
    let is_between = |result: &usize| points[0] <= *result && *result < points[1];
    results.into_iter().find(|result| is_between(result) && *result != apart)
}
