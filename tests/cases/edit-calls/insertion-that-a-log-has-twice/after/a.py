import a
import a2
import b
