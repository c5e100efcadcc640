import socket

PORT = 80
