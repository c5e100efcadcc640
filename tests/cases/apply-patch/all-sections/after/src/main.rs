fn main() {
    new();
}
