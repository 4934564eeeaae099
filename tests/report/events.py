#!/usr/bin/env python3
"""Event files read as TensorBoard reads them:  events.py FILE LOG [RECORDS]

Every record is checked by its checksums, CRC-32C a bit at a time; its protocol buffer is taken apart by the field numbers of
event.proto and summary.proto; its scalars must be those of the log, as 32-bit floats. RECORDS: the records as another reader
gave them, a line of hexadecimal digits each.
"""
import json
import struct
import sys


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    while data:
        (size,), (crc,) = struct.unpack("<Q", data[:8]), struct.unpack("<I", data[8:12])
        assert crc == masked_crc(data[:8]), "checksum of a length"
        record, (crc,) = data[12:12 + size], struct.unpack("<I", data[12 + size:16 + size])
        assert len(record) == size and crc == masked_crc(record), "checksum of a record"
        yield record
        data = data[16 + size:]


def varint(data):
    value = shift = 0
    while True:
        byte, data = data[0], data[1:]
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, data


def fields(data):
    found = {}
    while data:
        key, data = varint(data)
        if key & 7 == 0:
            value, data = varint(data)
        elif key & 7 == 2:
            size, data = varint(data)
            value, data = data[:size], data[size:]
        else:
            size, kind = {1: (8, "<d"), 5: (4, "<f")}[key & 7]
            (value,), data = struct.unpack(kind, data[:size]), data[size:]
        assert key >> 3 not in found, "a field comes twice"
        found[key >> 3] = value
    return found


def logged(path):
    """{tag: {step: value}}, and the time of each step."""
    want, start, seconds = {}, None, {}
    names = {"train": {"nll": "training/nll", "loss": "training/objective", "rate": "training/rate",
                       "gradient_norm": "training/gradient_norm", "tokens_per_second": "training/tokens_per_second"},
             "valid": {"nll": "validation/nll", "bleu": "validation/bleu", "perplexity": "validation/perplexity"}}
    for line in map(json.loads, open(path)):
        if line["kind"] == "start" and start is None:
            start = line["time"]
        if line["kind"] not in names:
            continue
        step = line["update"]
        if line["kind"] == "train":
            seconds[step] = line["seconds"]
        for field, tag in names[line["kind"]].items():
            want.setdefault(tag, {})[step] = line[field]
        for name, value in line.get("losses", {}).items():
            want.setdefault("losses/" + name, {})[step] = value
        for gate in line.get("gates", []):
            want.setdefault("entropy/" + gate["name"], {})[step] = gate["entropy"]
            for branch, share in enumerate(gate["share"]):
                want.setdefault("shares/%s/%d" % (gate["name"], branch), {})[step] = share
    return want, start, seconds


def main(path, log, other=None):
    read = list(records(open(path, "rb").read()))
    if other:
        assert [r.hex() for r in read] == open(other).read().split(), "another reader has other records"
    first = fields(read[0])
    want, start, seconds = logged(log)
    assert first == {1: start, 3: b"brain.Event:2"}, first
    got = {}
    for event in map(fields, read[1:]):
        value = fields(fields(event[5])[1])
        assert set(event) == {1, 2, 5} and set(value) == {1, 2}, event
        got.setdefault(value[1].decode(), {})[event[2]] = value[2]
        if event[2] in seconds:
            assert abs(event[1] - start - seconds[event[2]]) < 1e-3, event
    single = {tag: {step: struct.unpack("<f", struct.pack("<f", value))[0] for step, value in points.items()}
              for tag, points in want.items()}
    assert got == single, {tag: (got.get(tag), single.get(tag)) for tag in set(got) | set(single) if got.get(tag) != single.get(tag)}
    print(len(read), "records")


# The check value of CRC-32C (RFC 3720, B.4: 32 zeros), masked.
assert masked_crc(bytes(32)) == ((0x8A9136AA >> 15 | 0x8A9136AA << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF
main(*sys.argv[1:])
