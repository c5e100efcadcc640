f() {
	cat >x.yml <<EOF
a:
  c: 1
b: 1
EOF
}
