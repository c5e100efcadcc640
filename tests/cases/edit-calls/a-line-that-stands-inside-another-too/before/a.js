foo();
if (a) foo();
bar(foo());
