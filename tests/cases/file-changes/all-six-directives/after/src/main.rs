mod hello;

fn main() {
    hello::hello();
}

fn helper() {
    old();
}
