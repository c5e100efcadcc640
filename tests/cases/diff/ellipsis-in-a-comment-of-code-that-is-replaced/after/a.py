def main():
    setup()
    # ... and then retry
    retry(run)
    teardown()
