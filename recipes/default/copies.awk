# Pairs that teach to copy what no vocabulary has: names, addresses, numbers, pictures. Reads Tatoeba's pairs (English, tab,
# German), gives some of them other names than Tom's and something to copy, and adds what stands alone. The same on every run.
#
#     awk -F '\t' -f copies.awk tatoeba.tsv

function draw(n) { # a whole number from 0 to n - 1
    state = (state * 69069 + 12345) % 4294967296
    return int(state / 4294967296 * n)
}

function one(list) { return list[1 + draw(list[0])] }

function read_list(list, text, n) {
    n = split(text, list, " ")
    list[0] = n
}

function letters(n, text) {
    for (text = ""; n > 0; n--) text = text substr("abcdefghijklmnopqrstuvwxyz", 1 + draw(26), 1)
    return text
}

# A word that can be pronounced: names of people, places and sites that nobody has heard of.
function invented(capital, text, n) {
    for (n = 2 + draw(2); n > 0; n--) text = text one(consonants) one(vowels)
    if (draw(2)) text = text one(ends)
    return capital ? toupper(substr(text, 1, 1)) substr(text, 2) : text
}

function name(text) { # in the place of Tom's
    text = draw(4) ? one(men) : invented(1)
    if (draw(3) == 0) text = text " " (draw(2) ? one(families) : invented(1))
    return text
}

function address(kind, text) {
    kind = draw(5)
    text = invented(0) "." one(domains)
    if (kind == 0) return "https://www." text
    if (kind == 1) return "https://" text "/" invented(0) (draw(2) ? "/" invented(0) ".html" : "")
    if (kind == 2) return "www." text
    if (kind == 3) return invented(0) "@" text
    return "http://" text "/" letters(1 + draw(4)) draw(1000)
}

function digits(n) { return n > 0 ? draw(10) digits(n - 1) : "" }

# A number of `n` groups of three digits, with what the language puts between them.
function grouped(n, between, text) {
    for (text = 1 + draw(999); n > 1; n--) text = text between digits(3)
    return text
}

function number_pair(kind, n, fraction, english, german) {
    kind = draw(9)
    if (kind == 6) { # $1,299.99
        fraction = "." digits(2)
        english = german = grouped(1 + draw(2), "#")
        gsub(/#/, ",", english)
        gsub(/#/, ".", german)
        n = one(signs)
        if (draw(2)) return n english fraction "|" german "," substr(fraction, 2) " " n
        return n english "|" german " " n
    }
    if (kind == 7) { # 3:30 p.m.
        n = draw(24)
        fraction = sprintf("%02d", draw(60))
        english = (n % 12 ? n % 12 : 12) ":" fraction (n < 12 ? " a.m." : " p.m.")
        return english "|" n ":" fraction " Uhr"
    }
    if (kind == 8) {
        n = 1 + draw(999)
        fraction = digits(1)
        english = one(units)
        return draw(2) ? n " " english "|" n " " english : n "." fraction " " english "|" n "," fraction " " english
    }
    if (kind == 0) return (1 + draw(9)) digits(draw(4)) "|"
    if (kind == 1) {
        english = draw(100)
        fraction = digits(1 + draw(2))
        return english "." fraction "|" english "," fraction
    }
    if (kind == 2) {
        n = 2 + draw(2)
        english = german = grouped(n, "#")
        gsub(/#/, ",", english)
        gsub(/#/, ".", german)
        return english "|" german
    }
    if (kind == 3) return sprintf("%d:%02d", draw(24), draw(60)) "|"
    if (kind == 4) return "+" (10 + draw(90)) " " digits(3) " " digits(5 + draw(3)) "|"
    n = 1 + draw(12)
    fraction = 1 + draw(28)
    kind = 1950 + draw(90)
    return fraction " " months[n] " " kind "|" fraction ". " monate[n] " " kind
}

function pair(english, german) { print english "\t" (german == "" ? english : german) }

# `old` as a word of its own, exactly once in `text`: its place, or 0.
function place_of(old, text, at) {
    at = match(" " text " ", "[ \"]" old "[ ,.?!\"]")
    if (!at || index(substr(text, at + length(old)), old)) return 0
    return at
}

BEGIN {
    state = 1
    read_list(men, "Ben David Felix Jonas Karl Max Oskar Theo Uwe Walter Yusuf Ahmed Carlos Giovanni Hiroshi Igor Jacques " \
        "Kwame Pedro Rahul Tariq Wei James Robert Michael Peter Thomas Daniel George Bob Oliver William Henry Jack Samuel " \
        "Martin Stefan Jürgen Björn René Łukasz Søren Kofi Omar Sanjay Paul Lukas Tim Erik Hans Fritz Alexander Simon " \
        "Luca Mateo Ivan Andrej Kenji Ali Hassan Viktor")
    read_list(women, "Anna Clara Emma Greta Hannah Ida Lena Nina Paula Rosa Sophie Vera Zoe Aisha Elena Fatima Lucia Mei " \
        "Noor Olga Priya Sakura Ximena Jane Linda Susan Sarah Laura Julia Kate Alice Eve Charlotte Amelia Grace Lily Ruth " \
        "Ingrid Petra Zoë Ngozi Aroha Leila")
    read_list(families, "Smith Jones Brown Miller Wilson Taylor Clark Walker Young King Schmidt Müller Schneider Fischer " \
        "Weber Meyer Wagner Becker Hoffmann Schulz Koch Bauer Richter Klein Wolf Neumann Zimmermann Krüger Novak Kowalski " \
        "García Rossi Dubois Tanaka Nguyen Kim Singh Okafor Haddad Petrov Silva Jensen O'Brien McDonald")
    read_list(consonants, "b d f g h j k l m n p r s t v w z br ch dr fl gr kl kr pl sch sh st tr")
    read_list(vowels, "a e i o u a e i o u ai ei ou")
    read_list(ends, "n r s l ck ng nd m t x")
    read_list(domains, "com org net de eu info co.uk io")
    read_list(emoji, "😀 😃 😄 😁 😅 😂 🙂 😉 😊 😍 😘 😎 🤔 😐 😴 😢 😭 😡 😱 🙄 👍 👎 👋 🙏 💪 👏 ❤️ 💔 🎉 🎂 🎁 🌍 🌞 🌙 ⭐ 🔥 ☔ ❄️ 🌈 🌹 🐶 🐱 🐭 🐻 🐦 🐟 🍎 🍌 🍕 " \
        "🍺 🍷 ☕ 🚗 🚲 🚌 🚀 ✈️ 🏠 🏫 🏥 ⚽ 🎵 📷 📱 💻 📧 📚 💡 ✅ ❌ ⚠️ ➡️ 😇 🤣 🥰 😋 🤗 🤷 🙈 💩 👻 🎃 🎄 💶 🕐 🇩🇪 🇬🇧")
    read_list(signs, "$ € £")
    read_list(units, "km m cm mm kg g mg l ml kWh W V GB MB % °C km/h h min s")
    read_list(months, "January February March April May June July August September October November December")
    read_list(monate, "Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
}

{
    english = $1
    german = $2
    here = place_of("Tom", english)
    there = place_of("Tom", german)
    if (here && there && draw(2) == 0) {
        new = name()
        pair(substr(english, 1, here - 1) new substr(english, here + 3),
             substr(german, 1, there - 1) new substr(german, there + 3))
    }
    kind = draw(48)
    if (kind < 3) {
        new = one(emoji)
        if (draw(4) == 0) new = new new
        if (kind == 0) pair(new " " english, new " " german)
        else pair(english " " new, german " " new)
    } else if (kind == 3) {
        new = address()
        if (draw(2)) new = "(" new ")"
        pair(english " " new, german " " new)
    } else if (kind == 4 || kind == 6) {
        split(number_pair(), numbers, "|")
        pair(numbers[1], numbers[2])
    } else if (kind == 5) {
        new = draw(3)
        pair(new == 0 ? address() : new == 2 ? one(emoji) : draw(2) ? one(women) : name())
    }
}
