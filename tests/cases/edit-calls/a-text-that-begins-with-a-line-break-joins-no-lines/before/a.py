f()
return 1
