#!/usr/bin/python3
"""Writes small.gguf with Python's struct module, field by field as the specification has them
(github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3).

    ./make.py > small.gguf

It has every type of metadata, alone and in an array, and every type of tensor that ramus reads.
Run by hand; the result is committed. tests/format/gguf_test.c knows what must be in it."""
import struct
import sys

ALIGNMENT = 64
STRING, ARRAY = 8, 9
# name, number of the type, struct's letter, values
NUMBERS = [
    ("uint8", 0, "B", [0, 200, 255]),
    ("int8", 1, "b", [-128, -1, 127]),
    ("uint16", 2, "H", [65535, 1]),
    ("int16", 3, "h", [-32768, 32767]),
    ("uint32", 4, "I", [4294967295, 7]),
    ("int32", 5, "i", [-2147483648, 2147483647, -3]),
    ("float32", 6, "f", [-0.5, 1.0e-3]),
    ("bool", 7, "B", [1, 0]),
    ("uint64", 10, "Q", [2**64 - 1, 5]),
    ("int64", 11, "q", [-(2**63), 2**63 - 1]),
    ("float64", 12, "d", [0.1, -2.0e300]),
]
# name, number of the type, struct's letter, dimensions (fastest first)
TENSORS = [
    ("f32", 0, "f", [3, 2]),
    ("f16", 1, "e", [5]),
    ("i8", 24, "b", [7, 1, 2, 3]),
    ("i16", 25, "h", [1]),
    ("i32", 26, "i", [2, 2, 5]),
    ("i64", 27, "q", [9]),
    ("f64", 28, "d", []),
    ("bf16", 30, "H", [33]),
]


def text(s):
    data = s.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def numbers(letter, values):
    return struct.pack("<%d%s" % (len(values), letter), *values)


def array(number, n, data):
    return struct.pack("<IIQ", ARRAY, number, n) + data


def pad(data):
    return data + bytes(-len(data) % ALIGNMENT)


def metadata():
    texts = ["", "a", "\u00e4\U0001f600", "two\nlines"]
    yield "general.architecture", struct.pack("<I", STRING) + text("other")
    for name, number, letter, values in NUMBERS:
        yield "one." + name, struct.pack("<I", number) + numbers(letter, values[:1])
    yield "general.alignment", struct.pack("<II", 4, ALIGNMENT)
    for name, number, letter, values in NUMBERS:
        yield "all." + name, array(number, len(values), numbers(letter, values))
    yield "all.string", array(STRING, len(texts), b"".join(map(text, texts)))
    yield "none.string", array(STRING, 0, b"")
    yield "none.uint8", array(0, 0, b"")
    yield "long.uint8", array(0, 1000, bytes(i % 251 for i in range(1000)))
    yield "zero.string", struct.pack("<I", STRING) + text("a\0b")


def main():
    values = list(metadata())
    infos, data = b"", b""
    for name, number, letter, dims in TENSORS:
        count = 1
        for n in dims:
            count *= n
        infos += text(name) + numbers("I", [len(dims)]) + numbers("Q", dims)
        infos += struct.pack("<IQ", number, len(data))
        data += pad(numbers(letter, range(1, count + 1)))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(TENSORS), len(values))
    for key, value in values:
        head += text(key) + value
    sys.stdout.buffer.write(pad(head + infos) + data)


main()
