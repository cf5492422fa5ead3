#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A small server over HTTP/1.1 for the tests of ssrequest.

usage: http_server.py [--full] [--socket PATH] [--tls CERTIFICATE KEY]
Prints the port (or the path) that it listens on, then a line for each connection. With --full its backlog
is full, so that nobody else connects.
"""
import argparse
import http.server
import os
import signal
import socket
import socketserver
import ssl
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        print("connection", flush=True)

    def address_string(self):
        return "client"

    def log_message(self, *_):
        pass

    def answer(self, status, body, length=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def is_second(self):
        """Of each connection, of those that are counted; and says that it came."""
        print(f"{self.command} {self.path}", flush=True)
        self.count = getattr(self, "count", 0) + 1
        self.close_connection = self.count == 2
        return self.count == 2

    def do_GET(self):
        if self.path.startswith("/once"):
            if not self.is_second():
                self.answer(200, b"once")
        elif self.path.startswith("/missing"):
            self.answer(404, b"nothing")
        elif self.path.startswith("/silent"):
            time.sleep(3600)
        elif self.path.startswith("/endless"):
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"aab" * 100000)
        elif self.path.startswith("/half"):
            self.answer(200, b"half", 100)
            self.close_connection = True
        elif self.path.startswith("/mail"):
            self.wfile.write(b"220 mail.example ESMTP\r\n")
            self.close_connection = True
        elif self.path.startswith("/long"):
            self.answer(200, b"long", 2**63)
            self.close_connection = True
        elif self.path.startswith("/split"):
            self.send_response(200)
            self.send_header("Content-Length", "12")
            self.end_headers()
            for piece in (b"aaab", b"aab", b"aabcd"):
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(0.02)
        elif self.path.startswith("/header"):
            self.answer(200, str(self.headers.get("X-Test")).encode())
        else:
            self.answer(200, b"hello world")

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200, self.command.encode() + b" " + body)

    do_PUT = do_POST


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_):
        pass


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 512


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--socket")
    parser.add_argument("--tls", nargs=2)
    options = parser.parse_args()
    if options.full:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, socket.create_connection(
            listener.getsockname()
        ):
            print(listener.getsockname()[1], flush=True)
            signal.pause()
    server = UnixServer(options.socket, Handler) if options.socket else Server(("127.0.0.1", 0), Handler)
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(options.socket or server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        os._exit(0)
    except OSError as error:
        sys.exit(f"http_server.py: {error}")
