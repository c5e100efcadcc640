struct Counter {
    count: u32,
}

impl Counter {
    fn bump(&mut self) {
        self.count += 1;
    }
}
