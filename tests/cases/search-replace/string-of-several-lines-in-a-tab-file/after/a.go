package a

const conf = `
server:
  port: 80
  tls:
    on: true
`

func A() int {
	return 1
}
