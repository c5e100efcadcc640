import flask

app = flask.Flask(__name__)
