fn main() {
    println!("New message");
}

fn helper() {
    new();
}
