# What `ramus gates` prints, as a figure in SVG: each token on the colour of its branch, with the branch's number. Bytes, so LC_ALL=C.
function text(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
# Characters of a text in UTF-8.
function n_characters(s) { gsub(/[\200-\277]/, "", s); return length(s) }
BEGIN {
    n_colours = split("#0072b2 #e69f00 #009e73 #79c3ee #d55e00 #e8dc40 #cc79a7 #8c929a", colours, " ") # those of the page, src/report/html.c
    width = 600; left = 20; font = 17; step = font * 0.6; line = 44; y = 34
    subscript = "\342\202[\200-\211]" # U+2080 to U+2089
}
NR == 1 { sub(/, each.*/, ""); title = $0; next }
{
    x = left; y += line
    rest = $0
    while (match(rest, subscript)) {
        piece = substr(rest, 1, RSTART - 1)
        branch = index("\200\201\202\203\204\205\206\207\210\211", substr(rest, RSTART + 2, 1)) - 1
        rest = substr(rest, RSTART + 3)
        begins = sub(/^ /, "", piece)
        wide = n_characters(piece) * step
        if (begins) x += 9
        if (x + wide + 14 > width - left) { x = left + 20; y += line - 10 }
        used[branch] = 1
        body = body sprintf("<rect class=\"t\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"26\" style=\"fill:%s\"/>", x, y - 19,
            wide + 13, colours[branch % n_colours + 1])
        body = body sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"4\" style=\"fill:%s\"/>", x, y + 5, wide + 13,
            colours[branch % n_colours + 1])
        body = body sprintf("<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\">%s</text><text class=\"n\" x=\"%.1f\" y=\"%d\">%d</text>\n",
            x + 2, y, wide, text(piece), x + wide + 4, y + 2, branch)
        x += wide + 14
    }
}
END {
    height = y + 24
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n", width, height, text(title)
    printf "<style>text{font:%dpx monospace;fill:#111}.n{font-size:11px}.h{font:bold 15px sans-serif}.t{fill-opacity:.28}.page{fill:#fff}\n", font
    print "@media(prefers-color-scheme:dark){text{fill:#eee}.page{fill:#111}.t{fill-opacity:.45}}</style>"
    printf "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n<text class=\"h\" x=\"%d\" y=\"28\">%s, each on the colour of its branch</text>\n", width, height, left, text(title)
    printf "%s</svg>\n", body
}
