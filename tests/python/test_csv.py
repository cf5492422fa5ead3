# SPDX-License-Identifier: MIT
"""What is read of CSV and JSON Lines, and what is said of what can't be."""
import io
import math

import pytest
from showstopper import InputError, InputWarning
from showstopper._csv import CsvFile

NAN = math.nan


def read(content, **options):
    file = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    file.name = "f"
    return CsvFile(file).read(("a", "b"), ("name",), **options)


@pytest.mark.parametrize(
    "content, a",
    [
        ("b,a\n1,2\n", [2]),
        ("a,b\r\n1,2\r\n,3\r\n", [1, NAN]),
        (b"\xef\xbb\xbfa,b\n1.5e3,2\n", [1500]),
        ('"a","b"\n"1",2\n', [1]),
        ("a,a\n1,2\n", [1]),
        ("a\n1\n\n2\n", [1, NAN, 2]),
        ("a,b\n", []),
        ("a,b\n1234567890.123456,2\n", [1234567890.123456]),
        ('{"a":1,"b":2}\n{"a":null,"b":3}\n', [1, NAN]),
        ('{"a":"1.5","b":2}\n', [1.5]),
    ],
)
def test_numbers(content, a):
    assert read(content)["a"].tolist() == pytest.approx(a, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    "content, name",
    [
        ("a,name\n1,\n", ""),
        ("a,name\n1,NA\n", "NA"),
        ('a,name\n1,"x, ""y""\nz"\n', 'x, "y"\nz'),
        (b"a,name\n1,\xff\n", "\udcff"),
        ('{"a":1,"name":"x \\"y\\""}\n', 'x "y"'),
        ('{"a":1,"name":null}\n', ""),
    ],
)
def test_texts(content, name):
    assert read(content)["name"].tolist() == [name]


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "1: found empty file, expected CSV with a header, or JSON Lines"),
        ("a,b", "1: found header that is cut off, expected CSV with a header, or JSON Lines"),
        ("a\0,b\n", "1: found 'a?,b', expected a line of text with the names of columns"),
        ("a,b\n1,2\n3\n", "3: found 1 field, expected 2 as in the header"),
        ("a,b\n1\n2,3,4\n", "2: found 1 field, expected 2 as in the header"),
        ('a,b\n"1",2\n1,2,3\n', "3: found 3 fields, expected 2 as in the header"),
        ("a,b\n1,2\n1,x\n", "3: b: found 'x', expected a number"),
        ("a,b\n1,inf\n", "2: b: found 'inf', expected a number"),
        ("a,b\n1,1e999\n", "2: b: found '1e999', expected a number"),
        ("a,b\n1,0x10\n", "2: b: found '0x10', expected a number"),
        ("a,b\n1,nan\n", "2: b: found 'nan', expected a number"),
        ('name,a\n"x\ny",1\nz,?\n', "4: a: found '?', expected a number"),
        ('a,b\n"1,2\n', "2: found broken quotes (unexpected end of data), expected them as in RFC 4180"),
        ('{"a":1}\n{"b":1}\n', "2: expected an object with the members of the first line"),
        ('{"a":1}\n[1]\n', "2: expected an object with the members of the first line"),
        ('{"a":1}\n{"a":"x"}\n', "2: a: found 'x', expected a number"),
    ],
)
def test_what_is_refused(content, message):
    with pytest.raises(InputError) as error:
        read(content)
    assert str(error.value) == f"f:{message}"


@pytest.mark.parametrize("content", ["a,b\n1,2\n3,4", '{"a":1,"b":2}\n{"a":3,'])
def test_a_last_line_that_is_cut_is_left_out_with_a_warning(content):
    with pytest.warns(InputWarning, match="f: the last line is not whole and is left out"):
        assert read(content)["a"].tolist() == [1]


def test_texts_for_what_is_not_known_are_of_one_column():
    assert math.isnan(read("a,b\nnan,1\n", unknown={"a": ["nan"]})["a"][0])
    with pytest.raises(InputError, match="b: found 'nan'"):
        read("a,b\n1,nan\n", unknown={"a": ["nan"]})
