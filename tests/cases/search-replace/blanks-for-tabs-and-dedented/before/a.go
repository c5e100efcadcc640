func f() {
	if a {
		g()
	}
}
