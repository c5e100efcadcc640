fn main() {
    old();
}
