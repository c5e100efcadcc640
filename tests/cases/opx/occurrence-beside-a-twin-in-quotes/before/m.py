x = "run(1)"
run(1)
