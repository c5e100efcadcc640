func f() {
	if a {
		g()
		if b {
			h()
		}
	}
}
