impl A {
    fn f() -> u8 {
        1
    }
}

impl B for A {
    fn f() -> u8 {
        3
    }
}
