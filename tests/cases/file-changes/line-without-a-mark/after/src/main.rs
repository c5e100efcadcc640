fn main() {
    println!("Old message");
}

fn helper() {
    new();
}
