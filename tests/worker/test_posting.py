"""How a message is posted to an address that somebody else chose."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hexarena.worker import posting
from hexarena.worker.posting import READ_BYTES, Poster
from tests.conftest import free_port, wait_until
from tests.worker.receiving import Received, Receiver, receiving

NAME = "hooks.test"
HERE = "127.0.0.1"
BODY = b'{"a": 1}'


def poster(**more: object) -> Poster:
    return Poster(f"{HERE}, {NAME}", **more)  # type: ignore[arg-type]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def test_a_message_arrives_as_it_is(receiver: Receiver) -> None:
    receiver.answer = lambda _: (200, {}, b"thanks")
    outcome = poster().post(f"{receiver.url}?a=b", BODY, {"webhook-id": "msg_1"})
    assert (outcome.status, outcome.problem, outcome.excerpt) == (200, "", "thanks")
    (got,) = receiver.received
    assert (got.path, got.body) == ("/hook?a=b", BODY)
    assert got.headers["webhook-id"] == "msg_1"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["host"] == f"{HERE}:{receiver.port}"
    assert got.headers["content-length"] == str(len(BODY))


def test_the_name_is_looked_up_once_and_what_was_found_is_connected_to(receiver: Receiver) -> None:
    asked = []

    def rebinding(host: str, port: int) -> list[str]:
        """The second answer would be another one."""
        asked.append((host, port))
        return [HERE] if len(asked) == 1 else ["192.0.2.1"]

    url = f"http://{NAME}:{receiver.port}/hook"
    assert poster(resolve=rebinding).post(url, BODY, {}).problem == ""
    assert asked == [(NAME, receiver.port)]
    assert receiver.received[0].headers["host"] == f"{NAME}:{receiver.port}"


def test_a_name_server_that_does_not_answer_holds_nothing_up(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, asked = threading.Event(), []

    def waiting(host: str, port: int) -> list[str]:
        asked.append(host)
        answers.wait()
        return [HERE]

    monkeypatch.setattr(posting, "MOST_LOOK_UPS", 2)
    slow = poster(resolve=waiting, timeout_s=0.1)
    url = f"http://{NAME}:{receiver.port}/hook"
    for _ in range(3):
        assert slow.post(url, BODY, {}).problem == f"The name {NAME} was not found within 0.1 s."
    assert asked == [NAME] * 2, "there are never more than so many threads"
    answers.set()
    wait_until(lambda: slow._free_look_ups._value == 2, "the look-ups end")  # type: ignore[attr-defined]
    assert receiver.received == []


def test_nothing_is_sent_to_an_address_that_is_not_public(receiver: Receiver) -> None:
    for url in (receiver.url, f"http://localhost:{receiver.port}/", f"http://{NAME}:{receiver.port}/"):
        outcome = Poster("", resolve=lambda *_: [HERE]).post(url, BODY, {})
        assert (outcome.status, outcome.problem) == (None, f"The address {HERE} is not one of the public internet.")
    assert receiver.received == []


def test_where_one_address_does_not_answer_the_next_one_is_tried(receiver: Receiver) -> None:
    url = f"http://{NAME}:{receiver.port}/"
    assert poster(resolve=lambda *_: ["::1", HERE]).post(url, BODY, {}).status == 204
    assert len(receiver.received) == 1


def test_where_nobody_listens_there_is_no_connection() -> None:
    outcome = poster().post(f"http://{HERE}:{free_port()}/", BODY, {})
    assert outcome.status is None
    assert outcome.problem.startswith("No connection: ")


def test_redirects_are_not_followed(receiver: Receiver) -> None:
    receiver.answer = lambda _: (307, {"location": f"{receiver.url}/elsewhere"}, b"")
    outcome = poster().post(receiver.url, BODY, {})
    assert (outcome.status, len(receiver.received)) == (307, 1)
    assert outcome.problem == "It answered 307 Temporary Redirect. Redirects are not followed."


@pytest.mark.parametrize(("status", "words"), [(500, "500 Internal Server Error"), (599, "599")])
def test_all_that_is_not_a_success_is_a_failure(receiver: Receiver, status: int, words: str) -> None:
    receiver.answer = lambda _: (status, {}, "nö\0\n\x1b[31m".encode() + b"\xff")
    outcome = poster().post(receiver.url, BODY, {})
    assert (outcome.status, outcome.problem) == (status, f"It answered {words}.")
    assert outcome.excerpt == "nö \n [31m\N{REPLACEMENT CHARACTER}"


def test_of_a_long_answer_only_the_beginning_is_read(receiver: Receiver) -> None:
    receiver.answer = lambda _: (200, {}, b"x" * (64 << 20))
    assert poster().post(receiver.url, BODY, {}).excerpt == READ_BYTES * "x"


@contextmanager
def raw_server(*chunks: bytes) -> Iterator[str]:
    """Sends these, then nothing more, and keeps the connection."""
    over = threading.Event()
    with socket.create_server((HERE, 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                for chunk in chunks:
                    connection.sendall(chunk)
                over.wait()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://{HERE}:{listening.getsockname()[1]}/"
        over.set()
        thread.join()


@pytest.mark.long
@pytest.mark.parametrize(
    "chunks",
    [(), (b"HTTP/1.1 200 OK\r\n",), (b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n", b"half")],
    ids=["nothing", "half a head", "half a body"],
)
def test_whoever_does_not_come_to_an_end_is_left(chunks: tuple[bytes, ...]) -> None:
    with raw_server(*chunks) as url:
        outcome = poster(timeout_s=0.5).post(url, BODY, {})
    assert (outcome.status, outcome.problem) == (None, "It did not answer within 0.5 s.")


@pytest.mark.long
def test_whoever_sends_a_byte_now_and_then_is_left_as_well() -> None:
    over = threading.Event()
    with socket.create_server((HERE, 0)) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\na: ")
                while not over.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        outcome = poster(timeout_s=1.0).post(f"http://{HERE}:{listening.getsockname()[1]}/", BODY, {})
        over.set()
        thread.join()
    assert outcome.problem == "It did not answer within 1 s."


def test_what_is_no_http_is_a_failure() -> None:
    with raw_server(b"SSH-2.0-OpenSSH_9.6\r\n\r\n") as url:
        outcome = poster().post(url, BODY, {})
    assert outcome.status is None
    assert outcome.problem.startswith("The connection broke: ")


def test_an_arena_that_wants_https_sends_nothing_in_clear(receiver: Receiver) -> None:
    outcome = poster(https_only=True).post(receiver.url, BODY, {})
    assert outcome.problem == "This arena sends to https:// only."
    assert receiver.received == []


# --- TLS --------------------------------------------------------------------------------------------------------------


def certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """For a server of this name, and for a client that believes it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(secret + made.public_bytes(pem))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cadata=made.public_bytes(pem).decode())


def test_the_certificate_must_be_for_the_name(tmp_path: Path) -> None:
    server, trust = certificate(tmp_path, NAME)
    with receiving(server) as receiver:
        reported: list[str | None] = []
        server.sni_callback = lambda _, name, __: reported.append(name)
        to_here = poster(resolve=lambda *_: [HERE], trust=trust)
        assert to_here.post(f"https://{NAME}:{receiver.port}/", BODY, {}).status == 204
        assert reported == [NAME]
        other = Poster("other.test", resolve=lambda *_: [HERE], trust=trust)
        wrong = other.post(f"https://other.test:{receiver.port}/", BODY, {})
        assert wrong.status is None
        assert "certificate" in wrong.problem.lower()
        unknown = poster(resolve=lambda *_: [HERE]).post(f"https://{NAME}:{receiver.port}/", BODY, {})
        assert "certificate" in unknown.problem.lower()
        assert [one.headers["host"] for one in receiver.received] == [f"{NAME}:{receiver.port}"]


def test_settings_of_the_machine_for_proxies_and_passwords_are_not_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text(f"machine {HERE} login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{HERE}:{free_port()}")
    assert poster().post(receiver.url, BODY, {}).status == 204
    got: Received = receiver.received[0]
    assert "authorization" not in got.headers
