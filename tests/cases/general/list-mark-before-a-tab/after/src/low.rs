pub fn low() {}
