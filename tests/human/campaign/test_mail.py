"""Links and reminders by mail: nothing goes out that was not seen before."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from patmark.app.commands import human
from patmark.errors import InputError, UsageError
from patmark.human.campaign import SmtpServer
from patmark.human.campaign.store import Store
from smtp_server import smtp_inbox
from tls import own_certificate, trusted

_FILE = """\
name: Six colleagues
form: adequacy
languages: zh-en
testset: texts.tsv
contact: organiser@example.org
deadline: 2026-01-31
evaluators:
  - {name: ann, address: ann@example.org}
  - {name: 健, address: ken@example.org, language: ja}
  - {name: mei, address: mei@example.org, language: zh, deadline: 2026-02-28}
  - bob
"""


@pytest.fixture
def request_(tmp_path: Path) -> human.MailRequest:
    """A campaign with a table of links."""
    rows = "id\tsource\tsystem:atlas\ns1\t电池。\tA battery.\ns2\t壳体。\tA housing.\n"
    (tmp_path / "texts.tsv").write_text(rows, encoding="utf-8")
    (tmp_path / "campaign.yaml").write_text(_FILE, encoding="utf-8")
    db, links = str(tmp_path / "campaign.db"), str(tmp_path / "links.csv")
    human.new(
        human.NewCampaignRequest(
            file=tmp_path / "campaign.yaml",
            db=db,
            links=links,
            base_url="https://judge.example.org",
        )
    )
    return human.MailRequest(db=db, links=links)


def _links(request: human.MailRequest) -> dict[str, str]:
    with open(str(request.links), encoding="utf-8") as file:
        return {row["evaluator"]: row["link"] for row in csv.DictReader(file)}


def test_links_are_sent_as_they_were_previewed(request_: human.MailRequest) -> None:
    links = _links(request_)
    with smtp_inbox() as inbox:
        request = replace(request_, smtp=f"smtp://127.0.0.1:{inbox.port}")
        seen = human.mail(request)
        assert inbox.said == [] and seen.failures is None
        assert [one.address for one in seen.messages] == [
            "ann@example.org", "ken@example.org", "mei@example.org"
        ]  # fmt: skip
        assert seen.without_address == ("bob",)
        assert links["ann"] in seen.messages[0].text and links["bob"] not in str(seen.to_json())
        assert "2026-01-31" in seen.messages[0].text and "2026-02-28" in seen.messages[2].text
        with pytest.raises(UsageError, match="nothing was sent: 'yes' is not the code"):
            human.mail(replace(request, send="yes"))
        with pytest.raises(UsageError, match="is not the code of these mails"):
            human.mail(replace(request, send=seen.code, sender="other@example.org"))
        assert inbox.said == []
        sent = human.mail(replace(request, send=seen.code))
    assert sent.reached == ("ann", "健", "mei")
    assert [mail["To"] for mail in inbox.mails] == [one.address for one in seen.messages]
    assert {mail["From"] for mail in inbox.mails} == {"organiser@example.org"}
    said = [mail.get_content().replace("\r\n", "\n") for mail in inbox.mails]
    assert said == [one.text for one in seen.messages]
    assert "健 様" in said[1] and "mei，您好" in said[2]
    with Store.open(request.db) as store:
        campaign = store.campaigns()[0].id
        told = [one.evaluator for one in store.events(campaign) if one.action == "mailed"]
    assert told == ["ann", "健", "mei"]


def test_one_refused_address_stops_no_other(request_: human.MailRequest) -> None:
    with smtp_inbox(refused=frozenset({"ann@example.org"})) as inbox:
        request = replace(request_, smtp=f"smtp://127.0.0.1:{inbox.port}")
        sent = human.mail(replace(request, send=human.mail(request).code))
    assert dict(sent.failures or {}) == {"ann": "550 no such mailbox"}
    assert len(inbox.mails) == 2
    assert "550 no such mailbox" in json.dumps(sent.to_json())


def test_reminders_go_to_those_who_are_late(request_: human.MailRequest) -> None:
    """Without the table they have no link; with it, the one that still works."""
    plain = replace(request_, links=None, remind=True)
    assert "If it is lost" in human.mail(plain).messages[0].text
    seen = human.mail(replace(request_, remind=True))
    assert _links(request_)["ann"] in seen.messages[0].text
    assert "0 of 2 pages" in seen.messages[0].text
    with smtp_inbox() as inbox:
        smtp = f"smtp://127.0.0.1:{inbox.port}"
        human.mail(replace(plain, smtp=smtp, send=human.mail(plain).code))
    assert inbox.mails[0]["Subject"] == "Six colleagues: a reminder"


def test_a_text_of_ones_own(request_: human.MailRequest, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Dear {name}: {link} until {deadline}", encoding="utf-8")
    seen = human.mail(replace(request_, text=text))
    assert seen.messages[2].text == f"Dear mei: {_links(request_)['mei']} until 2026-02-28"
    for wrong, message in (
        ("Dear {nobody} {link}", "{nobody} is unknown"),
        ("Dear {name}", "needs {link}"),
        ("{link} }", "write a brace twice"),
    ):
        text.write_text(wrong, encoding="utf-8")
        with pytest.raises(UsageError, match=message):
            human.mail(replace(request_, text=text))


def test_passwords_travel_over_tls_only(request_: human.MailRequest, tmp_path: Path) -> None:
    server_side, certificate = own_certificate(tmp_path)
    with smtp_inbox() as inbox:
        request = replace(request_, smtp=f"smtp://ann:secret@127.0.0.1:{inbox.port}")
        with pytest.raises(UsageError, match="does not offer TLS") as refused:
            human.mail(replace(request, send=human.mail(request).code))
    assert "secret" not in str(refused.value) + str(inbox.said)
    with trusted(certificate), smtp_inbox(starttls=server_side) as inbox:
        request = replace(request_, smtp=f"smtp://ann:secret@localhost:{inbox.port}")
        human.mail(replace(request, send=human.mail(request).code))
    assert "STARTTLS" in inbox.said and any(line.startswith("AUTH PLAIN") for line in inbox.said)
    assert len(inbox.mails) == 3
    assert "secret" not in repr(SmtpServer.parse("smtps://ann:secret@mail.example.org"))


def test_what_cannot_be_sent_is_told(
    request_: human.MailRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PATMARK_SMTP", raising=False)
    code = human.mail(request_).code
    with pytest.raises(UsageError, match="PATMARK_SMTP"):
        human.mail(replace(request_, send=code))
    monkeypatch.setenv("PATMARK_SMTP", "smtp://127.0.0.1:1")
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:1 takes no mail"):
        human.mail(replace(request_, send=code))
    for wrong in ("mail.example.org", "http://x", "smtp://", "smtp://x:port"):
        with pytest.raises(UsageError, match="expected an address as smtps"):
            SmtpServer.parse(wrong)
    with pytest.raises(UsageError, match="name the table of links"):
        human.MailRequest(db=request_.db)
    for sender in ("nobody", "a@b\nBcc: x@y"):
        with pytest.raises(UsageError, match="sender"):
            human.mail(replace(request_, sender=sender))
    other = tmp_path / "other.csv"
    other.write_text("name,url\nann,x\n", encoding="utf-8")
    with pytest.raises(InputError, match="evaluator and link"):
        human.mail(replace(request_, links=other))
    human.link(human.LinkRequest(db=request_.db, name="ann"))
    with pytest.raises(UsageError, match="the link of 'ann' does not lead"):
        human.mail(request_)


def test_newcomers_have_addresses_too(request_: human.MailRequest) -> None:
    campaign = human.LinkedRequest(db=request_.db)
    with pytest.raises(UsageError, match="expected an address"):
        human.add_evaluator(campaign, "zoe", mail="zoe at home")
    human.add_evaluator(campaign, "zoe", like="ann", mail="zoe@example.org")
    with Store.open(request_.db) as store:
        id = store.campaigns()[0].id
        store.set_mail_address(id, "bob", "bob@example.org")
        with pytest.raises(UsageError, match="is no mail address"):
            store.set_mail_address(id, "bob", "bob")
        assert [store.state(id).address_of(name) for name in ("zoe", "bob")] == [
            "zoe@example.org", "bob@example.org"
        ]  # fmt: skip
        store.forget(id, "zoe")
        assert "zoe" not in str(store.settings(id))
