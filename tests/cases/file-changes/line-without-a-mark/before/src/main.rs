fn main() {
    println!("Old message");
}

fn helper() {
    old();
}
