call({ timeout: 60, retries: 2 });
