def new():

    pass
