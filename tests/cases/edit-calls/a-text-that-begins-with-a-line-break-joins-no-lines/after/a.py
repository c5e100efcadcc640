f()
return 2
