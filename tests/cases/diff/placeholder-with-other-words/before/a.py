def main():
    setup()
    run()
    teardown()
