def main(argv):
    run("--all" in argv)
