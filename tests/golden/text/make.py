#!/usr/bin/python3
"""Makes the models and expected results of this folder with SentencePiece itself.

    ./make.py CORPUS_FOLDER

CORPUS_FOLDER holds en-de/tatoeba.tsv.xz and zh-en/tatoeba.tsv.xz (English<TAB>other). Needs
Debian's python3-sentencepiece 0.1.97. Run by hand; the results are committed. See README.md."""
import lzma
import os
import random
import struct
import sys
import tempfile

import sentencepiece

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINING_PAIRS = 40000
DRAWN = 150  # id sequences to decode
LONG = 2000  # bytes; longer texts are compared by number and FNV-1a
REFUSED = 1 << 28  # in place of a number of ids: the text spells a control piece
SAMPLES = [("sample.en-de.txt", "en-de", 400), ("sample.zh-en.txt", "zh-en", 300)]


def read_pairs(corpus, pair):
    with lzma.open(os.path.join(corpus, pair, "tatoeba.tsv.xz"), "rt", encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def write_samples(corpus):
    for name, pair, n in SAMPLES:
        pairs = read_pairs(corpus, pair)
        step = len(pairs) // n
        with open(os.path.join(HERE, name), "w", encoding="utf-8") as f:
            for i in range(n):
                f.write("\n".join(pairs[i * step]) + "\n")


def train(corpus, pair, name, **options):
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text")
        with open(text, "w", encoding="utf-8") as f:
            for sides in read_pairs(corpus, pair)[:TRAINING_PAIRS]:
                f.write("\n".join(sides) + "\n")
        prefix = os.path.join(folder, "m")
        options = dict(minloglevel=1, num_threads=1, hard_vocab_limit=False, **options)
        # Paths of this machine do not belong into the file: the text is given as an iterator.
        with open(text, encoding="utf-8") as lines, open(prefix, "wb") as model:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(line.rstrip("\n") for line in lines), model_writer=model,
                **options)
        with open(prefix, "rb") as model:
            data = model.read()
    with open(os.path.join(HERE, name + ".model"), "wb") as f:
        f.write(data)
    return data


# --- a .model as a list of (field, wire type, value), to change what the trainer cannot ---


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def parse(data):
    fields, at = [], 0
    while at < len(data):
        tag, at = read_varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = read_varint(data, at)
        elif wire == 5:
            value, at = data[at:at + 4], at + 4
        elif wire == 1:
            value, at = data[at:at + 8], at + 8
        else:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        fields.append((tag >> 3, wire, value))
    return fields


def serialise(fields):
    out = bytearray()
    for number, wire, value in fields:
        out += varint(number << 3 | wire)
        out += varint(value) if wire == 0 else (varint(len(value)) if wire == 2 else b"") + value
    return bytes(out)


def with_field(message, number, wire, value):
    return serialise([f for f in parse(message) if f[0] != number] + [(number, wire, value)])


def make_unused(data, name, every):
    """Every n-th normal piece of several characters becomes unused."""
    out, n = [], 0
    for number, wire, value in parse(data):
        if number == 1:
            fields = dict((f[0], f[2]) for f in parse(value))
            if fields.get(3, 1) == 1 and len(fields[1].decode("utf-8")) > 1:
                n += 1
                if n % every == 0:
                    value = with_field(value, 3, 0, 5)
        out.append((number, wire, value))
    with open(os.path.join(HERE, name + ".model"), "wb") as f:
        f.write(serialise(out))


def make_unescaped(data, name):
    """Spaces stay spaces, in pieces and in text."""
    out = []
    for number, wire, value in parse(data):
        if number == 1:
            piece = [f[2] for f in parse(value) if f[0] == 1][0]
            value = with_field(value, 1, 2, piece.replace("▁".encode(), b" "))
        if number == 3:
            value = with_field(value, 5, 0, 0)
        out.append((number, wire, value))
    with open(os.path.join(HERE, name + ".model"), "wb") as f:
        f.write(serialise(out))


def make_tied(data, name):
    """All scores are one of three: ties everywhere."""
    out, n = [], 0
    for number, wire, value in parse(data):
        if number == 1:
            n += 1
            value = with_field(value, 2, 5, struct.pack("<f", -1 - n % 3))
        out.append((number, wire, value))
    with open(os.path.join(HERE, name + ".model"), "wb") as f:
        f.write(serialise(out))


def make_models(corpus):
    small = dict(normalization_rule_tsv="rules.tsv")
    identity = dict(normalization_rule_name="identity")
    symbols = ["<tag>", "<sep>", "<long_symbol_name>", "①", "ﬁ", "two words", "é"]
    train(corpus, "en-de", "unigram-8k", vocab_size=8000, byte_fallback=True, split_digits=True)
    train(corpus, "en-de", "bpe-4k", model_type="bpe", vocab_size=4000, pad_id=3)
    train(corpus, "zh-en", "zh-4k", vocab_size=4000, eos_id=-1, bos_id=-1)
    train(corpus, "en-de", "symbols", vocab_size=1000, byte_fallback=True,
          user_defined_symbols=symbols, control_symbols=["<ctl>", "<lang_de>"])
    train(corpus, "en-de", "bpe-symbols", model_type="bpe", vocab_size=1000,
          user_defined_symbols=symbols, control_symbols=["<ctl>"], **identity)
    train(corpus, "en-de", "suffix", vocab_size=1000, treat_whitespace_as_suffix=True,
          denormalization_rule_tsv="denormal.tsv", unk_surface=" ?? ", **small)
    train(corpus, "en-de", "bpe-suffix", model_type="bpe", vocab_size=1000, byte_fallback=True,
          treat_whitespace_as_suffix=True, **identity)
    plain = train(corpus, "en-de", "identity", vocab_size=1000, add_dummy_prefix=False,
                  remove_extra_whitespaces=False, **identity)
    bpe = train(corpus, "en-de", "bpe-spaces", model_type="bpe", vocab_size=1000,
                split_by_whitespace=False, remove_extra_whitespaces=False, **small)
    train(corpus, "en-de", "word", model_type="word", vocab_size=1000, add_dummy_prefix=False,
          user_defined_symbols=["<tag>"], **small)
    train(corpus, "zh-en", "char", model_type="char", vocab_size=1000, byte_fallback=True,
          user_defined_symbols=["<tag>", "①"], **small)
    make_unused(plain, "unused", 3)
    make_unused(bpe, "bpe-unused", 3)
    make_unescaped(plain, "unescaped")
    make_tied(plain, "tied")
    make_tied(bpe, "bpe-tied")


def read_adversarial():
    texts = []
    with open(os.path.join(HERE, "adversarial.txt"), "rb") as f:
        for line in f.read().split(b"\n")[:-1]:
            times = 1
            if line.startswith(b"@") and line[1:2].isdigit():
                number, line = line[1:].split(b" ", 1)
                times = int(number)
            out, at = bytearray(), 0
            while at < len(line):
                if line[at:at + 2] == b"\\x":
                    out.append(int(line[at + 2:at + 4], 16))
                    at += 4
                elif line[at:at + 2] == b"\\\\":
                    out += b"\\"
                    at += 2
                else:
                    out.append(line[at])
                    at += 1
            texts.append(bytes(out) * times)
    return texts


def decode(processor, ids):
    return processor.DecodeIds(ids).encode("utf-8")


def string(data):
    return varint(len(data)) + data


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return struct.pack("<Q", value)


def numbers(ids):
    return b"".join(varint(i) for i in ids)


def is_refused(processor, text):
    """Where a word is spelled like a control piece, SentencePiece fails, and Python sees no ids."""
    return not processor.EncodeAsIds(text) and any(
        processor.IsControl(processor.PieceToId(word)) for word in text.split(b" "))


def expected_ids(processor, text):
    """Number of ids and the ids (long texts: FNV-1a of their varints), then what they decode to: 0
    for the text itself or else 1 + size and the decoded text (long texts: its FNV-1a)."""
    ids = processor.EncodeAsIds(text)
    if is_refused(processor, text):
        return varint(REFUSED)
    back = decode(processor, ids)
    if len(text) >= LONG:
        return varint(len(ids)) + fnv(numbers(ids)) + varint(1 + len(back)) + fnv(back)
    same = back == text
    return varint(len(ids)) + numbers(ids) + (varint(0) if same else varint(1 + len(back)) + back)


def expect(name, adversarial, samples):
    """NAME.expected, all numbers varints: expected_ids() of every text; the pieces between spaces
    of every adversarial text that is not long; the number of drawn id sequences, and each with its
    ids and their text."""
    processor = sentencepiece.SentencePieceProcessor(os.path.join(HERE, name + ".model"))
    out = bytearray()
    for text in adversarial + samples:
        out += expected_ids(processor, text)
    for text in adversarial:
        if len(text) < LONG:
            out += varint(REFUSED) if is_refused(processor, text) else string(
                b" ".join(processor.EncodeAsPieces(text)))
    draw = random.Random(name)
    out += varint(DRAWN)
    for _ in range(DRAWN):
        special = min(300, len(processor))
        ids = [draw.randrange(special if draw.random() < 0.5 else len(processor))
               for _ in range(draw.randrange(12))]
        out += varint(len(ids)) + numbers(ids) + string(decode(processor, ids))
    with open(os.path.join(HERE, name + ".expected"), "wb") as f:
        f.write(bytes(out))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    corpus = os.path.abspath(sys.argv[1])
    os.chdir(HERE)  # the models keep the names of their rule files
    write_samples(corpus)
    make_models(corpus)
    samples = []
    for name, _, _ in SAMPLES:
        with open(os.path.join(HERE, name), "rb") as f:
            samples += f.read().split(b"\n")[:-1]
    adversarial = read_adversarial()
    for file in sorted(os.listdir(HERE)):
        if file.endswith(".model"):
            expect(file[:-len(".model")], adversarial, samples)


main()
