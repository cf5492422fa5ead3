# SPDX-License-Identifier: MIT
"""The clients of ssburn_listen.sh: http_client.py ADDRESS WHAT [NUMBER]... Fails by an assertion."""

import re
import socket
import sys
import time

ANSWER = re.compile(rb"([0-9]+\.[0-9]{3}) ms of processor time, after ([0-9]+\.[0-9]{3}) ms in the queue\n")


class Client:
    """A connection."""

    def __init__(self, address: str) -> None:
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address[5:])
        else:
            host, port = re.fullmatch(r"http://\[?([^]]*)\]?:([0-9]+)/", address).groups()
            self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(30)

    def send(self, method: str = "GET", path: str = "/", body: bytes = b"", headers: str = "") -> "Client":
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\n{length}{headers}\r\n".encode() + body)
        return self

    def answer(self, has_body: bool = True) -> tuple[int, bytes]:
        """Status and body; status 0 when the connection was closed without an answer."""
        with self.socket.makefile("rb") as stream:
            head = stream.readline()
            if not head:
                return 0, b""
            length = 0
            self.head = head
            while (line := stream.readline()) not in (b"\r\n", b""):
                self.head += line
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            return int(head.split()[1]), stream.read(length) if has_body else b""


def one(address: str) -> bytes:
    client = Client(address).send()
    status, body = client.answer()
    assert status == 200 and ANSWER.fullmatch(body), (status, body)
    assert re.search(rb"^content-type: *text/plain\r$", client.head, re.I | re.M), client.head
    return body


def methods(address: str) -> None:
    """Seven requests, and what is none."""
    client = Client(address)
    for method in ("GET", "POST", "PUT", "DELETE"):
        status, body = client.send(
            method, f"/{method}?a=b", b"x" * 200000 if method in ("POST", "PUT") else b""
        ).answer()
        assert status == 200 and ANSWER.fullmatch(body), (method, status, body)
        assert 1.9 < float(ANSWER.fullmatch(body)[1]) < 2.5, body
    status, _ = client.send("HEAD").answer(has_body=False)
    assert status == 200, status
    status, body = client.send(path="/health").answer()
    assert (status, body) == (200, b"ok\n"), (status, body)
    chunked = Client(address).send("POST", headers="Transfer-Encoding: chunked\r\n")
    chunked.socket.sendall(b"3\r\nabc\r\n")
    time.sleep(0.1)
    chunked.socket.sendall(b"0\r\n\r\n")
    assert chunked.answer()[0] == 200
    waiting = Client(address).send("POST", headers="Content-Length: 3\r\nExpect: 100-continue\r\n")
    assert waiting.answer()[0] == 100
    waiting.socket.sendall(b"abc")
    assert waiting.answer()[0] == 200
    for wrong in (
        b"GARBAGE\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    ):
        client = Client(address)
        client.socket.sendall(wrong)
        assert client.answer()[0] in (0, 400, 505), wrong
    for long in (b"GET /" + b"a" * 100000, b"GET / HTTP/1.1\r\nA: " + b"a" * 100000):
        client = Client(address)
        try:
            client.socket.sendall(long)
            status = client.answer()[0]
        except ConnectionError:
            status = 0
        assert status in (0, 400, 413, 414, 431), status


def order(address: str, number: int) -> None:
    """They are sent one after the other, much faster than they are served, and begun in the same order."""
    clients, sent = [], []
    for _ in range(number):
        sent.append(time.monotonic())
        clients.append(Client(address).send())
        time.sleep(0.02)
    waited = [float(ANSWER.fullmatch(client.answer()[1])[2]) for client in clients]
    begun = [1000 * at + wait for at, wait in zip(sent, waited)]
    assert all(later > before - 150 for before, later in zip(begun, begun[1:])), (begun, waited)
    assert waited[-1] > 200, waited


def times(address: str, number: int) -> None:
    client = Client(address)
    for _ in range(number):
        print(ANSWER.fullmatch(client.send().answer()[1])[1].decode())


def turned(address: str, served: int, others: int) -> None:
    clients = [Client(address).send() for _ in range(served + others)]
    answers = sorted(client.answer()[0] for client in clients)
    assert answers == [200] * served + [503] * others, answers


def troublesome(address: str) -> None:
    idle = [Client(address) for _ in range(20)]
    slow = [Client(address) for _ in range(20)]
    for client in slow:
        client.socket.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
    for _ in range(20):
        Client(address).send().socket.close()
    for _ in range(20):
        client = Client(address).send()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.socket.close()
    for _ in range(20):
        one(address)
    for client in slow:
        client.socket.sendall(b"d" * 997)
        assert client.answer()[0] == 200
    assert all(client.send().answer()[0] == 200 for client in idle)
    # Left to the end of the service.
    for client in slow:
        client.socket.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")


def crowd(address: str, number: int) -> None:
    """More than there may be: who was answered goes, so that others come."""
    clients = []
    for _ in range(number):
        clients.append(Client(address).send(headers="Connection: close\r\n"))
    for client in clients:
        assert client.answer()[0] == 200


if __name__ == "__main__":
    globals()[sys.argv[2]](sys.argv[1], *map(int, sys.argv[3:]))
