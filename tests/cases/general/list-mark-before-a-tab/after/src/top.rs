pub fn top() {}
