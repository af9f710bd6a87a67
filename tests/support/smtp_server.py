"""A small SMTP server that keeps what it is sent."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class SmtpInbox:
    """Mails that came in, and the conversation. Recipients of ``refused`` are turned away."""

    port: int = 0
    refused: frozenset[str] = frozenset()
    mails: list[EmailMessage] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@contextmanager
def smtp_inbox(
    refused: frozenset[str] = frozenset(), starttls: ssl.SSLContext | None = None
) -> Iterator[SmtpInbox]:
    """A server on loopback for the time of a block; with a certificate it offers STARTTLS."""
    inbox = SmtpInbox(refused=refused)

    class Conversation(socketserver.StreamRequestHandler):
        def answer(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

        def handle(self) -> None:
            self.answer("220 inbox")
            is_encrypted = False
            while line := self.rfile.readline().decode().rstrip("\r\n"):
                inbox.said.append(line)
                word = line.split()[0].upper()
                if word == "EHLO":
                    offers = ["STARTTLS"] if starttls and not is_encrypted else []
                    offers += ["AUTH PLAIN"] if is_encrypted else []
                    for offer in ["inbox", *offers]:
                        self.answer(f"250-{offer}")
                    self.answer("250 SIZE 100000")
                elif word == "STARTTLS" and starttls:
                    self.answer("220 go ahead")
                    self.request = starttls.wrap_socket(self.request, server_side=True)
                    self.rfile, self.wfile = (
                        self.request.makefile("rb"),
                        self.request.makefile("wb", 0),
                    )
                    is_encrypted = True
                elif word == "AUTH":
                    self.answer("235 welcome")
                elif word == "RCPT" and any(one in line for one in inbox.refused):
                    self.answer("550 no such mailbox")
                elif word == "DATA":
                    self.answer("354 go ahead")
                    self.keep()
                    self.answer("250 kept")
                elif word == "QUIT":
                    self.answer("221 bye")
                    return
                else:
                    self.answer("250 ok")

        def finish(self) -> None:
            super().finish()
            self.request.close()

        def keep(self) -> None:
            lines = []
            while (line := self.rfile.readline()) != b".\r\n":
                lines.append(line.removeprefix(b"."))
            mail = message_from_bytes(b"".join(lines), policy=policy.default)
            assert isinstance(mail, EmailMessage)
            inbox.mails.append(mail)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Conversation) as server:
        inbox.port = server.server_address[1]
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield inbox
        finally:
            server.shutdown()
            thread.join()
