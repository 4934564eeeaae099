#!/bin/sh
# What the program says of itself: help.sh RAMUS. Help fits the terminal; the manual page and the completions have every
# command and option that help lists, and the tools they are for take them (those that this machine has).
set -u
ramus=$1
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

"$ramus" help | awk '/^[A-Z].*:$/ { listing = $0 != "Environment:" } listing && /^  [a-z]/ { print $1 }' >commands
check 'there are commands' test "$(wc -l <commands)" -ge 16
for variable in RAMUS_MODELS RAMUS_ISA RAMUS_PLUGINS; do
    expect 0 out "^  $variable " help
    expect 0 out "$variable" translate --help
done
expect 0 out '^Translating:$' help
expect 2 err "^ramus: unknown command 'profil'; did you mean profile\?" help profil
expect 2 err "^ramus: unknown command 'xyzzy'" help xyzzy
expect 2 err "unexpected 'tcsh', expected COMMAND, --man or --completion" help --completion tcsh
expect 2 err "unexpected '--completion'" help --completion
expect 2 err "unexpected '--mna'" help --mna
expect 2 err "unexpected 'x'" help translate x

# Everything but the examples, which are for pasting.
for width in 60 80 133; do
    for command in '' $(cat commands); do
        COLUMNS=$width "$ramus" help $command | awk -v most=$width '
            /^Usage:/ { usage = 1 }
            usage && /^$/ { usage = 0; examples = 1; next }
            /^[A-Z][A-Za-z ]*:$/ { examples = 0 }
            !examples && length($0) > most' >wide
        check "help $command fits $width columns" [ ! -s wide ]
    done
done
COLUMNS= "$ramus" help train >out
COLUMNS=80 "$ramus" help train >err
check '80 columns where the width is unknown' cmp out err

"$ramus" help --man >ramus.1
for shell in bash zsh fish; do
    "$ramus" help --completion $shell >ramus.$shell
done
while read -r command; do
    "$ramus" help $command >out
    "$ramus" $command --help >err
    check "help $command is $command --help" cmp out err
    sed -n 's/^  --\([a-z0-9-]*\).*/\1/p' out >options
    check "$command has options" grep -qx config options
    sed 's/\\-/-/g' ramus.1 | awk -v name="\"ramus $command\"" '/^\.S[SH]/ { on = $2 " " $3 == name || /EVERY/ } on' >section
    awk -v name="    $command)" '$0 ~ "^    [a-z]+\\)" { on = index($0, name) == 1 } on' ramus.zsh >zsh
    awk -v name="    $command)" '$0 ~ "^    [a-z]+\\)" { on = index($0, name) == 1 } on' ramus.bash >bash
    grep "from $command'" ramus.fish >fish
    while read -r option; do
        check "the manual page has $command --$option" grep -q "^.fB--$option.fR" section
        check "zsh completes $command --$option" grep -q -- "'[*]*--$option\[" zsh
        check "bash completes $command --$option" grep -q -- "--$option " bash
        check "fish completes $command --$option" grep -q -- " -l $option " fish
    done <options
done <commands

if command -v groff >/dev/null; then
    groff -man -ww -z ramus.1 >out 2>err
    check 'groff takes the manual page' [ ! -s err ]
    groff -man -Tascii -P-cbou ramus.1 >out 2>err
    check 'and shows an option' grep -q -- '--length-penalty X' out
    check 'and an example as it is typed' grep -q -- '--threads' out
fi

# complete WORD...: what bash offers for the last word.
complete() {
    bash -c '. ./ramus.bash; COMP_WORDS=(ramus "$@"); COMP_CWORD=$#; _ramus; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >out
}
if command -v bash >/dev/null; then
    complete tr
    check 'bash: commands' test "$(cat out)" = "$(printf 'translate\ntrain')"
    complete help insp
    check 'bash: commands behind help' test "$(cat out)" = inspect
    complete translate --length
    check 'bash: options' test "$(cat out)" = --length-penalty
    complete translate --loops fl
    check 'bash: words of an option' test "$(cat out)" = flag
    complete translate --glossary a
    check 'bash: leaves files to the shell' test -z "$(cat out)"
fi
if command -v zsh >/dev/null; then
    # The functions of zsh that do the work, replaced by ones that print what they are told.
    offer() {
        zsh -fc 'autoload() { : }; _describe() { print -l -- $commands }; _arguments() { print -l -- "$@" }
            words=(ramus "$@"); CURRENT=$#words; . ./ramus.zsh' zsh "$@" >out 2>err
    }
    offer tr
    check 'zsh: commands' grep -q '^translate:' out
    offer translate --le
    check 'zsh: options' grep -q '^--length-penalty\[.*\]:X:$' out
    check 'zsh: words of an option' grep -q '^--loops\[.*:(allow flag end)$' out
    check 'zsh: files' grep -q '^--glossary\[.*:_files$' out
    check 'zsh: no message' [ ! -s err ]
fi
if command -v fish >/dev/null; then
    offer() {
        HOME=$folder fish --no-config -c 'source ramus.fish; complete -C "$argv"' "ramus $*" >out 2>err
    }
    offer transl
    check 'fish: commands' grep -q '^translate	' out
    offer translate --length
    check 'fish: options' grep -q '^--length-penalty	' out
    offer translate --loops fl
    check 'fish: words of an option' grep -q '^flag' out
    check 'fish: no message' [ ! -s err ]
fi

echo "$checks checks, $failures failed"
[ $failures = 0 ]
