"""Priority and application numbers: the forms in which offices write the same application."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.collections.patents.numbers import (
    NumberKey,
    Style,
    UnknownNumber,
    chinese_check_digit,
    number_key,
)

# document, country, raw number, date, style, expected; the documents are real, the expected keys
# follow from the rules of the offices
_REAL = [
    ("US04347903", "JPX", "53/84696", "1978-07-10", "national", "JP 1978 084696"),
    ("EP0449582B1", "JP", "8000290", "1990-03-27", "ep", "JP 1990 080002"),
    ("EP1325900A1", "JP", "2000273711", "2000-09-08", "ep", "JP 2000 273711"),
    ("EP2007181A2", "JP", "2006106198", "2006-04-07", "ep", "JP 2006 106198"),
    ("EP3782854A1", "CN", "201810358967", "2018-04-20", "ep", "CN 2018 10358967"),
    ("EP0560858A1", "GB", "19900026298", "1990-12-04", "ep", "GB 1990 26298"),
    ("EP0874807B2", "CH", "338895", "1995-11-29", "ep", "CH 1995 3388"),
    ("EP0874807B2", "CH", "45196", "1996-02-21", "ep", "CH 1996 451"),
    ("US20050004437A1", "CH", "1974/01", "2001-10-26", "national", "CH 2001 1974"),
    ("EP2716170B2", "DE", "102011114434", "2011-09-28", "ep", "DE 2011 114434"),
    ("EP1019261B1", "US", "60410 P", "1997-09-30", "ep", "US 1997 60/060410"),
    ("EP4090146A1", "US", "202062962762 P", "2020-01-17", "ep", "US 2020 62/962762"),
    ("OPS 19768124", "NL", "1010536", "1998-11-12", "docdb", "NL 1998 1010536"),
]


@pytest.mark.parametrize(("document", "country", "raw", "date", "style", "expected"), _REAL)
def test_real_priorities(document, country, raw, date, style, expected) -> None:
    assert str(number_key(country, raw, date, style=style)) == expected, document


@pytest.mark.parametrize(
    "raw",
    ["平2-80002", "特願平２−０８０００２号", "H02-080002", "2-80002", "2/80002", "1990-80002",
     "1990080002", "19900080002", "JP19900080002", "80002", "平成2年特許出願第80002号"],
)  # fmt: skip
def test_one_japanese_application_in_all_forms(raw: str) -> None:
    assert str(number_key("JP", raw, "1990-03-27")) == "JP 1990 080002"


def test_japanese_serial_and_year_needs_a_style_that_has_it() -> None:
    assert str(number_key("JP", "100290", "1990-03-27", style="docdb")) == "JP 1990 001002"
    assert str(number_key("JP", "100290", "1990-03-27", style="national")) == "JP 1990 100290"


@pytest.mark.parametrize(
    ("raw", "date", "year"),
    [("昭64-1234", "1989-01-05", 1989), ("平1-1234", "1989-02-01", 1989),
     ("平元-1234", "1989-02-01", 1989), ("昭53-1234", "1978-07-10", 1978),
     ("令2-1234", "2020-02-01", 2020), ("平11-1234", "1999-12-31", 1999)],
)  # fmt: skip
def test_japanese_eras(raw: str, date: str, year: int) -> None:
    assert number_key("JP", raw, date) == NumberKey("JP", year, "001234")


# the same US applications as three DOCDB records write them: docdb, epodoc, original
@pytest.mark.parametrize(
    ("date", "kind", "docdb", "epodoc", "original", "expected"),
    [
        ("1998-05-22", "A", "8359798", "US19980083597", "09/083,597", "US 1998 09/083597"),
        ("1998-07-30", "P", "9500698", "US19980095006P", "60095006", "US 1998 60/095006"),
        ("2021-08-06", "P", "202163230089", "US202163230089P", "63/230,089", "US 2021 63/230089"),
        ("2004-12-28", "A", "2366704", "US20040023667", "11023667", "US 2004 11/023667"),
    ],
)
def test_us_numbers_agree(date, kind, docdb, epodoc, original, expected) -> None:
    keys = {
        str(number_key("US", docdb, date, kind=kind, style="docdb")),
        str(number_key("", epodoc, date, kind=kind, style="epodoc")),
        str(number_key("US", original, date, kind=kind)),
    }
    assert keys == {expected}


def test_pct_numbers_agree() -> None:
    old = {
        str(number_key("WO", "PCT/US98/16128", "1998-08-04")),
        str(number_key("US", "9816128", "1998-08-04", kind="W", style="docdb")),
        str(number_key("", "WO1998US16128", "1998-08-04", style="epodoc")),
    }
    new = {
        str(number_key("US", "PCT/IL2022/050854", "2022-08-05")),
        str(number_key("IL", "2022050854", "2022-08-05", kind="W", style="docdb")),
        str(number_key("", "WO2022IL50854", "2022-08-05", style="epodoc")),
    }
    assert old == {"WO 1998 US16128"}
    assert new == {"WO 2022 IL50854"}


@pytest.mark.parametrize(
    ("country", "raw", "date", "expected"),
    [
        ("DE", "2724675", "1977-06-01", "DE 1977 024675"),
        ("DE", "P 27 24 675.3", "1977-06-01", "DE 1977 024675"),
        ("DE", "10154112", "2001-11-03", "DE 2001 054112"),
        ("DE", "69905327", "1999-11-08", "DE 1999 T005327"),
        ("DE", "202011000123", "2011-01-05", "DE 2011 U000123"),
        ("EP", "02779063.3", "2002-11-18", "EP 2002 779063"),
        ("EP", "20060101078", "2006-01-31", "EP 2006 101078"),
        ("GB", "0320567", "2003-09-03", "GB 2003 20567"),
        ("GB", "201810777", "2018-06-29", "GB 2018 10777"),
        ("SE", "0201225", "2002-04-22", "SE 2002 01225"),
        ("KR", "10-1998-0012345", "1998-04-08", "KR 1998 0012345"),
        ("KR", "19980012345", "1998-04-08", "KR 1998 0012345"),
        ("TW", "87101234", "1998-01-30", "TW 1998 101234"),
        ("CN", "ZL201510163325.6", "2015-04-08", "CN 2015 10163325"),
        ("CN", "201510163325", "2015-04-08", "CN 2015 10163325"),
        ("CH", "19742001", "2001-10-26", "CH 2001 1974"),
        ("CH", "01012/88-1", "1988-03-17", "CH 1988 1012"),
        ("ES", "456123", "1977-02-21", "ES 1977 456123"),
        ("AR", "273123", "1978-07-27", "AR 1978 273123"),
        ("DD", "WP C 07 D/207123", "1978-08-07", "DD 1978 207123"),
    ],
)
def test_other_offices(country: str, raw: str, date: str, expected: str) -> None:
    assert str(number_key(country, raw, date)) == expected


@pytest.mark.parametrize(
    ("country", "raw", "date", "reason"),
    [
        ("JP", "2015-123456", "", "without a date"),
        ("JP", "平2-80002", "1991-03-27", "does not agree"),
        ("JP", "53/84696", "1979-07-10", "does not agree"),
        ("CN", "201810358967", "2017-04-20", "does not agree"),
        ("CN", "201510163325.7", "2015-04-08", "check digit 7 is wrong; 6"),
        ("DE", "B0077613", "1974-07-10", "not known"),
        ("US", "123456", "2015-01-01", "series"),
        ("US", "69/690200", "1991-04-23", "series 69 was not in use in 1991"),
        ("US", "77/123456", "2010-05-01", "series 77"),
        ("US", "18/123,456", "1990-05-01", "series 18"),
        ("US", "07123456", "2010-05-01", "series 07"),
        ("US", "61/123456", "2003-01-01", "series 61"),
        ("US", "35/123456", "2010-01-01", "series 35"),
        ("CN", "20020123456", "2002-06-28", "not known"),
        ("AT", "1234/98", "1999-06-01", "does not agree"),
        ("AT", "12/98", "1999-06-01", "does not agree"),
        ("WO", "99/12345", "1999-01-01", "PCT"),
        ("", "12345", "1999-01-01", "no country"),
        ("FR", "ABC", "1999-01-01", "not known"),
    ],
)
def test_what_is_not_understood_says_why(country: str, raw: str, date: str, reason: str) -> None:
    found = number_key(country, raw, date)
    assert isinstance(found, UnknownNumber)
    assert reason in found.reason
    assert raw in found.reason


def test_numbers_that_docdb_made_up_are_no_keys() -> None:
    found = number_key("CS", "1258191X", "1961-01-16", style="docdb")
    assert isinstance(found, UnknownNumber)
    assert "made up" in found.reason


def test_chinese_check_digit_of_a_published_number() -> None:
    assert chinese_check_digit("201510163325") == "6"  # CN 104751825 B: 201510163325.6


@given(st.integers(1, 399_999), st.integers(1978, 1999), st.integers(1, 12))
def test_japanese_forms_meet(serial: int, year: int, month: int) -> None:
    date = f"{year}-{month:02d}-10"
    era = f"昭{year - 1925}" if year < 1989 else f"平{year - 1988}"
    keys = {
        number_key("JP", f"{era}-{serial}", date),
        number_key("JP", f"{year}{serial:06d}", date, style="docdb"),
        number_key("", f"JP{year}{serial:07d}", date, style="epodoc"),
        number_key("JP", f"{serial}{year % 100:02d}", date, style="ep"),
    }
    assert keys == {NumberKey("JP", year, f"{serial:06d}")}


@given(st.text(max_size=20), st.text(max_size=12), st.text(max_size=3))
def test_any_text_gives_a_key_or_a_reason(raw: str, date: str, country: str) -> None:
    found = number_key(country, raw, date)
    assert isinstance(found, NumberKey) or found.reason


# all forms of a row are one application
@pytest.mark.parametrize(
    ("country", "date", "forms", "expected"),
    [
        ("JP", "2002-09-20", "P.2002-274534|P2002-274534|2002-274534(P)|JP2002-274534|2002274534",
         "JP 2002 274534"),
        ("JP", "1999-10-18", "P. 11-295684|HEI11-295684|HEI 11-295684|Hei. 11-295684|平11-295684"
         "|特願平11-295684|HEI-11-295684|11-295684|Tokugan Hei 11-295684", "JP 1999 295684"),
        ("JP", "1988-03-01", "SHO63-45678|Sho 63-45678|S63-45678", "JP 1988 045678"),
        ("AU", "1999-05-25", "PQ0559|PQ 0559", "AU 1999 PQ0559"),
        ("AU", "2003-02-28", "2003900123|AU2003900123", "AU 2003 900123"),
        ("IT", "2001-03-15", "MI2001A000123|MI2001A0123|MI20010123|MI 2001 A 000123"
         "|2001MI00123", "IT 2001 MI000123"),
        ("IT", "1999-03-15", "RM99A000123|RM990123", "IT 1999 RM000123"),
        ("IT", "1980-03-20", "20123 A/80|20123-A/80|20123A/80|20123/80", "IT 1980 20123"),
        ("DK", "1999-09-01", "1999 01234|PA 1999 01234|199901234|01234/99|1999-01234",
         "DK 1999 01234"),
        ("SE", "2002-04-22", "0201225-6|0201225|02 01225-6|20020001225", "SE 2002 01225"),
        ("IN", "2003-02-01", "123/MUM/2003|2003MU00123|00123/MUM/2003", "IN 2003 MU00123"),
        ("ZA", "1999-02-20", "99/1234|991234|1999/1234|9901234", "ZA 1999 01234"),
        ("PL", "1999-02-20", "P-331234|P.331234|P 331234|331234|P331234", "PL 1999 331234"),
        ("AR", "1999-03-18", "P990101234|P 99 01 01234|990101234", "AR 1999 101234"),
        ("SG", "2001-03-02", "200101234-5|200101234|SG 200101234-5", "SG 2001 01234"),
        ("SG", "2014-04-08", "10201401234X|10201401234", "SG 2014 01234"),
        ("DE", "2004-03-12", "10 2004 012 345.6|102004012345|200410012345|20041012345",
         "DE 2004 012345"),
        ("KR", "2003-02-27", "제10-2003-0012345호|특허출원 제10-2003-0012345호|10-2003-12345",
         "KR 2003 0012345"),
        ("CN", "2002-06-28", "02123456|20021023456", "CN 2002 10023456"),
        ("KR", "1998-04-08", "98-12345|1998-12345|P1998-0012345|9812345", "KR 1998 0012345"),
        ("CN", "2002-01-10", "02 1 01234.2|02101234", "CN 2002 10001234"),
        ("AT", "1999-06-01", "A 1234/99|1234/99|123499|12341999|A 1234|1234", "AT 1999 1234"),
        ("AT", "2005-03-01", "GM 123/2005|GM 123/05|GM 123", "AT 2005 U123"),
        ("WO", "2003-02-07", "2003EP01234|WO2003EP01234|PCT/EP03/01234", "WO 2003 EP01234"),
        ("US", "1991-04-23", "07/690,200|07690200|69020091|690200", "US 1991 07/690200"),
        ("US", "2002-07-25", "10/485,123|10485123", "US 2002 10/485123"),
        ("ES", "1999-06-01", "9901234|P 9901234|199901234", "ES 1999 01234"),
        ("MX", "2001-03-02", "PA/a/2001/001234|2001001234|2001/001234", "MX 2001 01234"),
        ("BR", "2001-03-02", "PI0101234-5|PI 0101234-5|0101234", "BR 2001 01234"),
        ("HK", "2001-03-02", "01101234.5|01101234", "HK 2001 101234"),
        ("CH", "2001-03-02", "1234/01|2001 1234/01|123401", "CH 2001 1234"),
        ("GB", "1998-04-01", "9819375-6|9819375.6|9819375", "GB 1998 19375"),
        ("NO", "1997-04-08", "971605|19971605", "NO 1997 01605"),
        ("NL", "1998-11-12", "1010536|NL1010536", "NL 1998 1010536"),
        ("FR", "1962-12-11", "918235|918 235", "FR 1962 918235"),
        ("US", "2001-06-15", "60/298,123 P|60298123|60-298123", "US 2001 60/298123"),
    ],
)  # fmt: skip
def test_forms_of_one_application(country: str, date: str, forms: str, expected: str) -> None:
    found = {form: str(number_key(country, form, date)) for form in forms.split("|")}
    assert found == dict.fromkeys(forms.split("|"), expected)


# as the office writes it, as DOCDB does, as epodoc does
@pytest.mark.parametrize(
    ("date", "national", "docdb", "epodoc", "expected"),
    [
        ("1999-05-25", "A 1234/99", "123499", "AT19990001234", "AT 1999 1234"),
        ("1999-05-25", "P990101234", "P990101234", "AR1999P101234", "AR 1999 101234"),
        ("1999-05-25", "PQ0559", "PQ055999", "AU1999PQ00559", "AU 1999 PQ0559"),
        ("1999-05-25", "12345/99", "1234599", "AU19990012345", "AU 1999 12345"),
        ("2003-02-28", "2003900123", "2003900123", "AU20030900123", "AU 2003 900123"),
        ("1999-05-25", "9900123", "9900123", "BE19990000123", "BE 1999 00123"),
        ("1999-05-25", "PI 9901234-5", "9901234", "BR1999PI01234", "BR 1999 01234"),
        ("2013-05-21", "10 2013 012345-6", "102013012345", "BR201310012345", "BR 2013 10012345"),
        ("1999-05-25", "2,345,678", "2345678", "CA19992345678", "CA 1999 2345678"),
        ("1999-05-25", "1234/99", "123499", "CH19990001234", "CH 1999 1234"),
        ("1999-05-25", "PV 1999-1234", "123499", "CZ19990001234", "CZ 1999 01234"),
        ("1964-07-10", "B 77 613 IVa/12c", "B0077613", "DE1964B077613", "DE 1964 B077613"),
        ("1977-05-31", "P 27 24 675.1", "2724675", "DE19772724675", "DE 1977 024675"),
        ("2001-11-03", "101 54 112.3", "10154112", "DE20011054112", "DE 2001 054112"),
        ("2011-09-29", "10 2011 114 434.5", "102011114434", "DE201110114434", "DE 2011 114434"),
        ("1999-05-25", "PA 1999 00712", "71299", "DK19990000712", "DK 1999 00712"),
        ("2001-05-21", "200100123", "200100123", "EA20010000123", "EA 2001 00123"),
        ("1999-05-25", "9901234", "9901234", "ES19990001234", "ES 1999 01234"),
        ("1999-05-25", "991234", "991234", "FI19990001234", "FI 1999 01234"),
        ("1999-05-25", "99 08277", "9908277", "FR19990008277", "FR 1999 08277"),
        ("2018-06-29", "1810777.3", "201810777", "GB20180010777", "GB 2018 10777"),
        ("1999-05-25", "99101234.5", "99101234", "HK19990101234", "HK 1999 101234"),
        ("1999-05-25", "P9901234", "9901234", "HU19990001234", "HU 1999 01234"),
        ("1999-05-25", "132793", "13279399", "IL19990132793", "IL 1999 132793"),
        ("2003-02-01", "123/MUM/2003", "123MU2003", "IN2003MU00123", "IN 2003 MU00123"),
        ("2001-03-15", "MI2001A000123", "MI20010123", "IT2001MI00123", "IT 2001 MI000123"),
        ("1998-04-08", "10-1998-0012345", "19980012345", "KR19980012345", "KR 1998 0012345"),
        ("1999-05-25", "PA/a/1999/001234", "PA9901234", "MX1999PA01234", "MX 1999 01234"),
        ("1985-11-12", "8503101", "8503101", "NL19850003101", "NL 1985 03101"),
        ("2020-11-12", "2025012", "2025012", "NL20202025012", "NL 2020 2025012"),
        ("1997-04-08", "971605", "971605", "NO19970001605", "NO 1997 01605"),
        ("1999-05-25", "334567", "33456799", "NZ19990334567", "NZ 1999 334567"),
        ("1999-05-25", "P-331234", "33123499", "PL19990331234", "PL 1999 331234"),
        ("2021-06-15", "117283", "11728321", "PT20210117283", "PT 2021 117283"),
        ("1999-05-25", "99-01234", "9901234", "RO19990001234", "RO 1999 01234"),
        ("2001-05-21", "2001112345/09", "2001112345", "RU20010112345", "RU 2001 112345"),
        ("2002-04-22", "0201225-6", "0201225", "SE20020001225", "SE 2002 01225"),
        ("2014-04-08", "10201401234X", "10201401234X", "", "SG 2014 01234"),
        ("1999-05-25", "PP 1234-99", "123499", "SK19990001234", "SK 1999 01234"),
        ("1998-01-30", "87101234", "87101234", "TW19980101234", "TW 1998 101234"),
        ("1999-02-20", "99/1234", "9901234", "ZA19990001234", "ZA 1999 01234"),
    ],
)  # fmt: skip
def test_forms_of_the_epo(date: str, national: str, docdb: str, epodoc: str, expected: str) -> None:
    forms: dict[Style, str] = {"national": national, "docdb": docdb, "epodoc": epodoc}
    found = {
        style: str(number_key(expected[:2], number, date, style=style))
        for style, number in forms.items()
        if number
    }
    assert found == dict.fromkeys(found, expected)


# the country again before the number, joined check digits, what stands behind in brackets
@pytest.mark.parametrize(
    ("country", "date", "forms", "expected"),
    [
        ("US", "2002-04-22", "US 60/374,123|US60/374123", "US 2002 60/374123"),
        ("IE", "2002-04-22", "IE 2002/0312|S2002/0312", "IE 2002 00312"),
        ("ZA", "2002-04-22", "ZA 2002/03212|2002/3212", "ZA 2002 03212"),
        ("CH", "2001-10-26", "CH 1974/01|CH1974/01", "CH 2001 1974"),
        ("IT", "2001-03-15", "IT MI2001A000123", "IT 2001 MI000123"),
        ("IN", "2002-04-22", "IN/123/DEL/2002", "IN 2002 DE00123"),
        ("DK", "2002-04-22", "DK PA 2002 00612", "DK 2002 00612"),
        ("AU", "2002-04-22", "AU PS1861|PS1861/02", "AU 2002 PS1861"),
        ("GB", "2002-01-18", "UK 0201225.6|GB02012256|02/01225", "GB 2002 01225"),
        ("SE", "2002-04-22", "02012256", "SE 2002 01225"),
        ("SG", "2002-04-22", "2002021235|200202123-X", "SG 2002 02123"),
        ("EP", "2002-01-18", "2001225", "EP 2002 001225"),
        ("CN", "2002-01-10", "02-101234", "CN 2002 10001234"),
        ("KR", "2004-02-24", "2004-12345(P)", "KR 2004 0012345"),
        ("JP", "2002-02-28", "2002-00054321|2002-054321", "JP 2002 054321"),
        ("JP", "2002-09-20", "2002-274534 (JP)|JP P2002-274534|2002-274534(PAT.)",
         "JP 2002 274534"),
        ("JP", "1998-09-20", "P10274534|10-274,534|10274534|10 274534|Hei 10(1998)-274534"
         "|No. 10-274534", "JP 1998 274534"),
        ("WO", "2002-04-22", "PCT/JP2002003987|PCT/JP02-03987|JP02/03987", "WO 2002 JP03987"),
    ],
)  # fmt: skip
def test_numbers_as_applicants_write_them(
    country: str, date: str, forms: str, expected: str
) -> None:
    found = {form: str(number_key(country, form, date)) for form in forms.split("|")}
    assert found == dict.fromkeys(found, expected)


@pytest.mark.parametrize(
    ("country", "raw", "date", "expected"),
    [
        ("EP", "13196195.5", "2012-09-14", "EP 2013 196195"),
        ("EP", "92900624.0", "1991-12-04", "EP 1992 900624"),
        ("JP", "2012-530215", "2010-09-20", "JP 2012 530215"),
        ("JP", "平11-501234", "1998-06-01", "JP 1999 501234"),
        ("KR", "10-2012-7001234", "2010-09-20", "KR 2012 7001234"),
        ("CN", "201410012345", "2010-03-01", "CN 2014 10012345"),
    ],
)
def test_divisional_and_national_phase_keep_the_date_of_their_parent(
    country: str, raw: str, date: str, expected: str
) -> None:
    assert str(number_key(country, raw, date, inherits_date=True)) == expected
    assert isinstance(number_key(country, raw, date), UnknownNumber)


@pytest.mark.parametrize(
    ("raw", "style"), [("2012380", "docdb"), ("2012380", "ep"), ("IT19800020123", "epodoc")]
)
def test_italian_numbers_before_provinces_agree(raw: str, style: str) -> None:
    assert str(number_key("IT", raw, "1980-03-20", style=style)) == "IT 1980 20123"


def test_a_year_alone_is_no_number() -> None:
    assert number_key("PL", "99", "1999-05-04", style="docdb") == NumberKey("PL", 1999, "99")
