pub fn hello() {
    println!("Hello");
}
