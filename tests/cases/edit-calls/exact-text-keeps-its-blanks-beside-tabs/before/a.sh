f() {
	cat >x.yml <<EOF
a:
b: 1
EOF
}
