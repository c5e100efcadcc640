for (let i = 0; i <= n; i++) {
  sum += a[i];
}
