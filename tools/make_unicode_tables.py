#!/usr/bin/env python3
"""Writes src/eval/category_table.inc, src/eval/lowercase_table.inc and src/text/case_table.inc.

    python3 tools/make_unicode_tables.py            (from the top folder of the sources)

SacreBLEU's `intl` asks the `regex` module for \\p{P}, \\p{S} and \\p{N}, and lower-cases with
Python's str.lower(). Both are asked here, code point by code point, so that the tables say what
SacreBLEU says under the same versions. The context rule of the Greek sigma is probed too: what
str.lower() makes of a sigma after or before a code point tells whether it is cased or ignorable.
Upper and title case are Python's str.upper() and str.title() of one code point.
"""
import sys
import unicodedata

import regex

CODES = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
# The currency sign that Unicode 17.0 added; the one before it is of 14.0.
REGEX_UNICODE = "17.0" if regex.match(r"\p{S}", "\u20c1") else "16.0 or earlier"


def ranges(kind_of):
    """[(first, last, kind)] of the code points whose kind is not None."""
    rows = []
    for code in CODES:
        kind = kind_of(chr(code))
        if kind is None:
            continue
        if rows and rows[-1][1] == code - 1 and rows[-1][2] == kind:
            rows[-1][1] = code
        else:
            rows.append([code, code, kind])
    return rows


def category(char):
    for name, pattern in (("PUNCTUATION", "P"), ("SYMBOL", "S"), ("NUMBER", "N")):
        if regex.match(r"\p{%s}" % pattern, char):
            return "RAMUS_CATEGORY_" + name
    return None


def sigma_context(char):
    """How str.lower() sees `char` next to a capital sigma."""
    if char == "\u03a3":
        return "CASED"
    if (char + "\u03a3").lower().endswith("\u03c2"):
        return "CASED"
    if ("a" + char + "\u03a3").lower().endswith("\u03c2"):
        return "IGNORABLE"
    return None


def lower_rows():
    """[(first, last, step, difference)]; U+0130 alone becomes two code points."""
    pairs = []
    for code in CODES:
        low = chr(code).lower()
        if code in (0x130, 0x3A3):  # two code points; by its context
            continue
        assert len(low) == 1, hex(code)
        if ord(low) != code:
            pairs.append((code, ord(low) - code))
    return step_rows(pairs)


def step_rows(pairs):
    """[(first, last, step, difference)] of sorted (code, difference)."""
    rows = []
    for code, difference in pairs:
        if rows:
            first, last, step, same = rows[-1]
            gap = code - last
            if same == difference and (gap == step or (first == last and gap <= 2)):
                rows[-1] = (first, code, gap, same)
                continue
        rows.append((code, code, 1, difference))
    return rows


def case_rows(change, usual):
    """How `change` differs from `usual`: rows of single code points, rows of several."""
    differ = [(code, change(chr(code))) for code in CODES if change(chr(code)) != usual(chr(code))]
    longs = [(code,) + tuple(map(ord, new)) + (0,) * (3 - len(new)) for code, new in differ if len(new) > 1]
    return (["{0x%X, 0x%X, %d, %d}," % row
             for row in step_rows([(code, ord(new) - code) for code, new in differ if len(new) == 1])],
            ["{0x%X, {0x%X, 0x%X, 0x%X}}," % row for row in longs])


def write(path, what, tables, header="#include \"eval/code_range.h\"\n\n"):
    with open(path, "w", encoding="ascii") as out:
        out.write("/* %s - %s\n * Written by tools/make_unicode_tables.py; do not edit. */\n"
                  % (path.split("/")[-1], what))
        out.write(header + "// clang-format off\n")
        for head, rows in tables:
            out.write("%s = {\n" % head)
            line = ""
            for row in rows:
                if len(line) + len(row) > 96:
                    out.write("   " + line + "\n")
                    line = ""
                line += " " + row
            out.write("   " + line + "\n};\n")
        out.write("// clang-format on\n")


def pick(rows, kind):
    return ["{0x%X, 0x%X}," % (a, b) for a, b, k in rows if k == kind]


def main():
    assert chr(0x130).lower() == "i\u0307"
    categories = ranges(category)
    write("src/eval/category_table.inc",
          "general categories P, S and N of Unicode %s (Python regex %s)."
          % (REGEX_UNICODE, regex.__version__),
          [("static const ramus_code_range punctuation[]", pick(categories, "RAMUS_CATEGORY_PUNCTUATION")),
           ("static const ramus_code_range symbols[]", pick(categories, "RAMUS_CATEGORY_SYMBOL")),
           ("static const ramus_code_range numbers[]", pick(categories, "RAMUS_CATEGORY_NUMBER"))])
    contexts = ranges(sigma_context)
    write("src/eval/lowercase_table.inc",
          "lower case of Unicode %s (Python %d.%d str.lower())."
          % ((unicodedata.unidata_version,) + sys.version_info[:2]),
          [("static const ramus_lower_range lower_ranges[]",
            ["{0x%X, 0x%X, %d, %d}," % row for row in lower_rows()]),
           ("static const ramus_code_range cased[]", pick(contexts, "CASED")),
           ("static const ramus_code_range ignorable[]", pick(contexts, "IGNORABLE"))])
    upper, upper_long = case_rows(str.upper, str)
    title, title_long = case_rows(str.title, str.upper)
    write("src/text/case_table.inc",
          "upper case, and title case where it differs, of Unicode %s (Python %d.%d)."
          % ((unicodedata.unidata_version,) + sys.version_info[:2]),
          [("static const case_range upper_ranges[]", upper),
           ("static const case_long upper_longs[]", upper_long),
           ("static const case_range title_ranges[]", title),
           ("static const case_long title_longs[]", title_long)], header="")


main()
