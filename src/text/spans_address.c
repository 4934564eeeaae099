/* Addresses: URLs with and without a scheme, e-mail, files. Most of them end where a shared walk
 * says, which balances brackets and leaves out punctuation at the end. Addresses without a scheme
 * need a known top-level domain, and files without a folder a known extension. */
#include "text/spans_rules.h"

#include <string.h>

#define MAX_SCHEME 16
#define MAX_LOCAL  64  // bytes before the @
#define MAX_HOST   253 // bytes
#define MAX_FILE   256 // bytes of a path without a root
#define MAX_TAIL   64  // bytes that are looked at behind the last one that may end an address

static const char domains[] =
    "com org net edu gov mil int info biz name pro museum arpa local onion io dev app ai co tv me "
    "fm ly gl gg sh rs xyz online site shop blog cloud wiki eu de at ch li uk us fr es it nl be dk "
    "se no fi is pl cz sk si hr hu ro bg gr pt ie lu lt lv ee ua ru tr il cn tw hk jp kr in au nz "
    "ca mx br ar cl za xxx space tech news live tools page social media berlin wien";

static const char extensions[] =
    "cc cpp cxx hh hpp py pl pm rb js ts jsx tsx mjs css scss html htm xhtml shtml xml xsl xsd dtd "
    "json yaml yml toml ini cfg conf md rst txt tex bib pdf ps eps doc docx docm xls xlsx ppt pptx "
    "odt ods odp odg odb csv tsv log sh bash zsh fish bat cmd ps1 exe dll sys deb rpm dmg iso img "
    "zip tar gz tgz bz2 xz zst lzma rar jar war apk png jpg jpeg gif svg svgz bmp webp tif tiff "
    "ico xcf psd mp3 mp4 m4a ogg oga ogv opus wav flac mid midi avi mkv mpg mpeg webm mov srt vtt "
    "po pot mo xliff java class kt swift go rs lua php asp aspx jsp cgi sql db sqlite patch diff "
    "service socket desktop bak tmp swp pem crt cer csr asc sig gpg key epub mobi ttf otf woff "
    "woff2 wasm gguf onnx cmake mk ui glade rc vcf ics eml torrent la pc list sources dat bin rom "
    "plist xpi crx tscn tres gd ipynb rdf ovpn pub lock kml gpx stl obj blend dsc changes "
    "udeb 7z";

static const char short_extensions[] = "c h o a d m"; // only behind three letters or a folder

static const char roots[] =
    "bin boot cdrom dev etc home lib lib64 media mnt opt proc root run sbin "
    "srv sys target tmp usr var";

static char byte(const ramus_span_text *t, size_t at)
{
    return ramus_span_byte(t, at);
}

/* The bytes of a letter that is not ASCII, or 0: addresses have them where people type them. */
static size_t foreign_letter(const ramus_span_text *t, size_t at)
{
    if (at >= t->size || (unsigned char)t->text[at] < 0x80) return 0;
    const ramus_char_at c = ramus_char_read(t->text, t->size, at);
    const bool accent = c.kind == RAMUS_CHAR_JOIN && c.code < 0x2000;
    const bool letter = c.kind >= RAMUS_CHAR_UPPER && c.kind <= RAMUS_CHAR_LETTER;
    return letter || accent || c.kind == RAMUS_CHAR_DIGIT ? (size_t)c.size : 0;
}

static bool may_end(const ramus_span_text *t, size_t at)
{
    const char c = t->text[at];
    if (c == '*') return at > 0 && t->text[at - 1] == '/';
    return !strchr(".,;:!?", c);
}

/* Where the address that runs on at `at` ends; `signs` are those that it may have beside letters
 * and digits. A bracket is closed only if it was opened, and opened only if it is closed. */
static size_t address_end(const ramus_span_text *t, size_t at, const char *signs)
{
    static const char opening[] = "([{", closing[] = ")]}";
    int open[3] = {0};
    size_t end = at;

    for (; at < t->size && at - end < MAX_TAIL; at++) {
        const char c = t->text[at];
        const size_t letter = foreign_letter(t, at);
        const char *bracket = NULL;
        if (letter) {
            at += letter - 1;
        } else if (c && (bracket = strchr(opening, c))) {
            open[bracket - opening]++;
        } else if (c && (bracket = strchr(closing, c))) {
            if (open[bracket - closing]-- == 0) break;
        } else if (!ramus_is_alnum(c) && !(c && strchr(signs, c))) {
            break;
        }
        if (c == '&' && (ramus_span_has(t, at, "&gt;") || ramus_span_has(t, at, "&lt;") ||
                         ramus_span_has(t, at, "&quot;")))
            break;
        if (!open[0] && !open[1] && !open[2] && (letter || may_end(t, at))) end = at + 1;
    }
    return end;
}

/* Where a compound with a noun ends that began with an address, as in "/etc/fstab-Datei"; else
 * `end`. */
static size_t without_noun(const ramus_span_text *t, size_t at, size_t end)
{
    size_t hyphen = end;
    bool upper = false;

    while (hyphen > at && t->text[hyphen - 1] != '-' && t->text[hyphen - 1] != '/')
        hyphen--;
    if (hyphen <= at + 1 || t->text[hyphen - 1] != '-') return end;
    for (size_t i = hyphen - 1; i > at && t->text[i - 1] != '/'; i--)
        upper |= ramus_is_upper(t->text[i - 1]);
    const bool noun =
        hyphen == end || (ramus_is_upper(t->text[hyphen]) && !ramus_is_upper(byte(t, hyphen + 1)));
    return noun && !upper ? hyphen - 1 : end;
}

static const char url_signs[] = "-._~:/?#@!$&*+,;=%";
static const char path_signs[] = "-._~:/@+,;=%$#*";

/* Where the label of a host at `at` ends: letters, digits and hyphens. */
static size_t label_end(const ramus_span_text *t, size_t at, size_t most)
{
    while (at < most) {
        const size_t letter = foreign_letter(t, at);
        const char c = byte(t, at);
        if (!letter && !ramus_is_alnum(c) && c != '-') break;
        at += letter ? letter : 1;
    }
    return at;
}

/* Where the host at `at` ends, behind a top-level domain; `at` if there is none. With `any`, a
 * domain of letters need not be a known one. */
static size_t host_end(const ramus_span_text *t, size_t at, bool any)
{
    const size_t most = t->size - at > MAX_HOST ? at + MAX_HOST : t->size;
    size_t start = at, end = label_end(t, at, most), host = at;

    while (end > start && end < most && t->text[end] == '.') {
        const size_t before = end - start;
        const bool one_letter = before == 1 && start == at;
        start = end + 1;
        end = label_end(t, start, most);
        size_t letters = 0;
        while (start + letters < end && ramus_is_alpha(t->text[start + letters]))
            letters++;
        if (letters < 2) continue;
        if (start + letters < end) { // example.org-Konto
            if (t->text[start + letters] != '-' ||
                (start + letters + 1 < end && !ramus_is_upper(t->text[start + letters + 1])))
                continue;
            end = start + letters;
        }
        if (any || (ramus_span_listed(domains, t->text + start, letters) &&
                    (!one_letter || letters > 2 || byte(t, end) == '/')))
            host = end;
    }
    return host == end || byte(t, host) != '.' || !ramus_span_word(t, host + 1) ? host : at;
}

/* Behind the host: a port, a path, a question, a fragment. */
static size_t after_host(const ramus_span_text *t, size_t at)
{
    if (byte(t, at) == ':') {
        const size_t port = ramus_span_digits(t, at + 1, 6);
        if (port >= 2 && port < 6) at += 1 + port;
    }
    const char c = byte(t, at);
    return c == '/' || c == '?' || c == '#' ? address_end(t, at, url_signs) : at;
}

/* What could be the rest of another address, and so does not begin one. */
static bool goes_on(const ramus_span_text *t, size_t at)
{
    return at > 0 && (strchr("@\\", t->text[at - 1]) ||
                      (strchr(".-_", t->text[at - 1]) && ramus_span_in_word(t, at - 1, true)));
}

size_t ramus_span_url(const ramus_span_text *t, size_t at)
{
    static const char schemes[] = "mailto tel urn about doi magnet xmpp sip geo";
    size_t i = at;

    while (i - at < MAX_SCHEME &&
           (ramus_is_alnum(byte(t, i)) || (i > at && byte(t, i) && strchr("+.-", byte(t, i)))))
        i++;
    if (i - at >= 2 && ramus_span_has(t, i, "://")) {
        const size_t end = byte(t, i + 3) == '-' ? i + 3 : address_end(t, i + 3, url_signs);
        return end - at; // also "ftp://-URL"
    }
    if (byte(t, i) == ':' && ramus_span_listed(schemes, t->text + at, i - at)) {
        const size_t end = address_end(t, i + 1, url_signs);
        if (end > i + 1) return end - at;
    }
    if (goes_on(t, at)) return 0;
    const bool www = ramus_span_has(t, at, "www.") || ramus_span_has(t, at, "WWW.");
    const size_t host = host_end(t, at, www);
    if (host == at || ramus_span_word(t, host) || byte(t, host) == '@') return 0;
    bool letters = false; // "2.de" is no host
    for (i = at; i < host && t->text[i] != '.'; i++)
        letters |= !ramus_is_digit(t->text[i]) || i - at >= 2;
    return letters ? after_host(t, host) - at : 0;
}

size_t ramus_span_email(const ramus_span_text *t, size_t at)
{
    const bool named = t->text[at] == '<'; // <number>@example.org
    size_t i = at + named;

    while (i - at <= MAX_LOCAL) {
        const size_t letter = foreign_letter(t, i);
        const char c = byte(t, i);
        if (!letter && !ramus_is_alnum(c) && !(c && strchr("._%+-", c))) break;
        i += letter ? letter : 1;
    }
    if (named && (i == at + 1 || byte(t, i++) != '>')) return 0;
    if (i - at > MAX_LOCAL || byte(t, i) != '@' || byte(t, i - 1) == '.') return 0;
    const size_t host = ramus_span_has(t, i + 1, "localhost") ? i + 10 : host_end(t, i + 1, true);
    return host > i + 1 && !ramus_span_word(t, host) && byte(t, host) != '@' ? host - at : 0;
}

/* Whether text[at .. end) ends with a known extension of a file. */
static bool has_extension(const ramus_span_text *t, size_t at, size_t end)
{
    size_t dot = end;
    char lower[8];

    for (int i = 0; i < 3; i++) { // libx.so.1.2
        size_t digits = end;
        while (digits > at && ramus_is_digit(t->text[digits - 1]))
            digits--;
        if (digits == end || digits <= at + 1 || t->text[digits - 1] != '.') break;
        dot = end = digits - 1;
    }
    while (dot > at && end - dot < sizeof lower && ramus_is_alnum(t->text[dot - 1]))
        dot--;
    const size_t n = end - dot;
    if (n == 0 || n == sizeof lower || dot <= at + 1 || t->text[dot - 1] != '.') return false;
    for (size_t i = 0; i < n; i++) {
        const char c = t->text[dot + i];
        if (!ramus_is_digit(c) && ramus_is_upper(c) != ramus_is_upper(t->text[dot])) return false;
        lower[i] = (char)(ramus_is_upper(c) ? c + ('a' - 'A') : c);
    }
    if (ramus_span_listed(extensions, lower, n)) return true;
    if (lower[0] != t->text[dot]) return false;
    size_t stem = dot - 1;
    while (stem > at && ramus_is_alnum(t->text[stem - 1]))
        stem--;
    const bool folder = stem > at && t->text[stem - 1] == '/';
    if (n == 1)
        return ramus_span_listed(short_extensions, lower, n) && (dot - 1 - stem >= 3 || folder);
    return n == 2 && ramus_span_has(t, dot, "so") && (folder || ramus_span_has(t, stem, "lib"));
}

/* Where the file at `at` ends, which may stand in folders; `at` if its extension is none. */
static size_t file_end(const ramus_span_text *t, size_t at)
{
    const size_t most = t->size - at > MAX_FILE ? at + MAX_FILE : t->size;
    size_t i = at, end = at;

    while (i < most) {
        const size_t letter = foreign_letter(t, i);
        const char c = t->text[i];
        if (!letter && !ramus_is_alnum(c) && !(c && strchr("-._+/~", c))) break;
        i += letter ? letter : 1;
        if (letter || may_end(t, i - 1)) end = i;
    }
    if (i >= most && most < t->size) return at;
    if (ramus_span_word(t, end) || byte(t, end) == '@') return at;
    if (!has_extension(t, at, end)) end = without_noun(t, at, end);
    return has_extension(t, at, end) ? end : at;
}

size_t ramus_span_file(const ramus_span_text *t, size_t at)
{
    return goes_on(t, at) || (at > 0 && t->text[at - 1] == '/') ? 0 : file_end(t, at) - at;
}

/* Whether the path at `at` has two components, or one that is usual there. */
static bool has_root(const ramus_span_text *t, size_t at)
{
    size_t i = at + 1;
    while (i - at < MAX_FILE &&
           (ramus_is_alnum(byte(t, i)) || (byte(t, i) && strchr("_-.", byte(t, i)))))
        i++;
    if (i == at + 1) return false;
    if (byte(t, i) != '/' && t->text[i - 1] == '.') i--;
    return byte(t, i) == '/' || ramus_span_listed(roots, t->text + at + 1, i - at - 1);
}

size_t ramus_span_root(const ramus_span_text *t, size_t at)
{
    const char next = byte(t, at + 1);
    bool begins = false;

    if (!ramus_span_set_off(t, at)) return 0;
    switch (t->text[at]) {
    case '/':
        if (!has_root(t, at)) { // "/robots.txt"
            const size_t file = at + 1 < t->size ? file_end(t, at + 1) : 0;
            return file > at + 1 ? file - at : 0;
        }
        begins = true;
        break;
    case '~':
        begins = next == '/';
        break;
    case '*':
        begins = next == '.' && ramus_is_lower(byte(t, at + 2));
        break;
    case '.': // ./x, ../x, .bashrc
        begins = next == '/' || ramus_span_has(t, at, "../") ||
                 (ramus_is_lower(next) && ramus_span_word(t, at + 2));
        break;
    default:
        break;
    }
    return begins ? without_noun(t, at, address_end(t, at, path_signs)) - at : 0;
}

size_t ramus_span_drive(const ramus_span_text *t, size_t at)
{
    static const char signs[] = "-._~:/@+,=%$#*\\";
    const char third = byte(t, at + 2);
    const bool drive = ramus_is_upper(t->text[at]) && byte(t, at + 1) == ':' &&
                       (third == '\\' || (third == '/' && ramus_is_alpha(byte(t, at + 3))));

    if (!drive && !(ramus_span_has(t, at, "\\\\") && ramus_is_alnum(third))) return 0;
    const size_t end = address_end(t, at + 2, signs);
    const bool share = end > at + 2 && memchr(t->text + at + 2, '\\', end - at - 2); // \\x\y
    return drive || share ? end - at : 0;
}
