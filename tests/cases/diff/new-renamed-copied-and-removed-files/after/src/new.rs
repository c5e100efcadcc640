fn new() {}
fn more() {}
