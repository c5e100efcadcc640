from lib import core

core.run()
