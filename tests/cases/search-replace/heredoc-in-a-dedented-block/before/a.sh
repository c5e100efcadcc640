f() {
    if true; then
        echo 1
    fi
}
