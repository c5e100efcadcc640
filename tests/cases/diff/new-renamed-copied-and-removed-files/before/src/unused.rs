fn unused() {}
fn either() {}
