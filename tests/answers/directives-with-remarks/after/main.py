from src import core

core.run()
