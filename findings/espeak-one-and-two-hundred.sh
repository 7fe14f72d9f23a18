#!/usr/bin/env bash
# One thousand two hundred and thirty-four euros are read aloud as "one, two hundred and thirty-four".
#
# Guess: a voice reads 1 234,50 € as one number, with any of the spaces that French has between thousands; if not, then
# not with the plain one, which may as well be between two numbers.
# What happens: it is the other way round. With a plain space it is "mille deux cent trente-quatre", with a no-break
# space (U+00A0) or a narrow one (U+202F), which Intl writes, "un, deux cent trente-quatre". Polish has "twelve, three
# hundred and forty-five" for 12 345. In German a no-break space before the sign takes the word "Euro" away.
# Seen: 2026-11-29, espeak-ng 1.51+dfsg-10+deb12u2 (Debian 12).
# Why it matters here: screen readers and assistants speak with it. Whoever listens to a page hears another price than
# whoever reads it, and only from a thousand on. Our results have each amount in minor units beside its text, so that an
# assistant can say it in words.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download espeak-ng=1.51+dfsg-10+deb12u2 libespeak-ng1=1.51+dfsg-10+deb12u2 \
  espeak-ng-data=1.51+dfsg-10+deb12u2 libpcaudio0 libsonic0 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
library="$folder/usr/lib/$(uname -m)-linux-gnu"
export LD_LIBRARY_PATH="$library" ESPEAK_DATA_PATH="$library/espeak-ng-data"
say() { usr/bin/espeak-ng -q --ipa -v "$1" -- "$2" | xargs; }
nobreak=$'\u00A0' narrow=$'\u202F'
seen="fr, none: $(say fr "1234,50 €")
fr, plain: $(say fr "1 234,50 €")
fr, no-break: $(say fr "1${nobreak}234,50 €")
fr, narrow: $(say fr "1${narrow}234,50 €")
pl, none: $(say pl "12345 zł")
pl, plain: $(say pl "12 345 zł")
pl, no-break: $(say pl "12${nobreak}345 zł")
de, plain: $(say de "12 €")
de, no-break: $(say de "12${nobreak}€")"
echo "$seen"
expected='fr, none: mil døsɑ̃ tʁɑ̃tkatʁ viʁɡyl sɛ̃kˈɑ̃t əʁˈo
fr, plain: mˈil døsɑ̃ tʁɑ̃tkatʁ viʁɡyl sɛ̃kˈɑ̃t əʁˈo
fr, no-break: ˈœ̃ døsɑ̃ tʁɑ̃tkatʁ viʁɡyl sɛ̃kˈɑ̃t əʁˈo
fr, narrow: ˈœ̃ døsɑ̃ tʁɑ̃tkatʁ viʁɡyl sɛ̃kˈɑ̃t əʁˈo
pl, none: dvanˈaɕtɕɛ tɨɕˈɛntsɨ tʃˈɨsta tʃtɛrdʑˈɛɕcʲipʲˈɛɲdʑ zˌɛtˈɛw
pl, plain: dvanˈaɕtɕɛ tɨɕˈɛntsɨ tʃˈɨsta tʃtɛrdʑˈɛɕcʲipʲˈɛɲdʑ zˌɛtˈɛw
pl, no-break: dvanˈaɕtɕɛ tʃˈɨsta tʃtɛrdʑˈɛɕcʲipʲˈɛɲdʑ zˌɛtˈɛw
de, plain: tsvˈœlf ˈɔøroː
de, no-break: tsvˈœlf'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
