package retry

func wait(i int) {
	time.Sleep(time.Second << i)
}
