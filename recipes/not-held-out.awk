# Pairs without those that share a side with a held-out pair, capitals and punctuation aside; an English sentence of up to three
# words is common property ("Thank you.") and stays:  awk -F'\t' -f recipes/not-held-out.awk HELD_OUT.tsv PAIRS.tsv
# English comes first. Tells on standard error how many were left out; -v name=... says of what.
function key(s)
{
    s = tolower(s)
    gsub(/[[:punct:][:space:]]+/, " ", s)
    sub(/^ /, "", s)
    sub(/ $/, "", s)
    return s
}

NR == FNR { held[key($1)]; held[key($2)]; next }
split($1, words, " ") > 3 && (key($1) in held || key($2) in held) { dropped++; next }
{ print }
END { printf "%s: %d pairs left out, like a held-out one\n", name, dropped > "/dev/stderr" }
