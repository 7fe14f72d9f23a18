#!/usr/bin/env bash
# A refund of 240 pounds is read aloud as 240 pounds to pay.
#
# Guess: "minus" is heard before an amount below zero, as Intl writes it (-£240, -240 €). If a voice is particular, it
# wants the real sign, U+2212.
# What happens: in English the hyphen is dropped if the pound's sign follows it, and heard before a digit. In French,
# Spanish and Polish it is dropped before digits, too, and in German and Italian it is heard. U+2212 is heard in all: as
# an English word in French, Spanish and Polish.
# Seen: 2026-11-29, espeak-ng 1.51+dfsg-10+deb12u2 (Debian 12); the amounts by Intl of Node 20.20.2.
# Why it matters here: a list of a day's takings has refunds as amounts below zero. Whoever listens to it adds them up.
# A refund has to be named as one in words, and not by a sign alone.
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
cat >money.mjs <<'JS'
const [, , language, currency] = process.argv
console.log(new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 0 }).format(-240))
JS
seen="$(for place in en-GB:GBP de:EUR fr:EUR es:EUR it:EUR pl:PLN; do
  text="$(node money.mjs "${place%:*}" "${place#*:}")"
  echo "$text ${place%:*}: $(say "${place%:*}" "$text") | U+2212: $(say "${place%:*}" "${text/-/−}")"
done)"
echo "$seen"
expected='-£240 en-GB: pˈaʊnd tˈuːhˈʌndɹɪdən fˈɔːti | U+2212: mˈaɪnəspˈaʊnd tˈuːhˈʌndɹɪdən fˈɔːti
-240 € de: mˈiːnʊs tsvˈaɪhˈʊndɜt fˈɪɾtsɪç | U+2212: mˈiːnʊs tsvˈaɪhˈʊndɜt fˈɪɾtsɪç
-240 € fr: døsɑ̃ kaʁˈɑ̃t əʁˈo | U+2212: (en)mˈaɪnəs(fr) døsɑ̃ kaʁˈɑ̃t əʁˈo
-240 € es: dosθjˈentos kwaɾˈɛnta ˈeʊɾo | U+2212: (en)mˈaɪnəs(es) dosθjˈentos kwaɾˈɛnta ˈeʊɾo
-240 € it: mˈeno dʊetʃˈɛnto kʊaɾˈaːnta ˈɛʊro | U+2212: mˈɛno dʊetʃˈɛnto kʊaɾˈaːnta ˈɛʊro
-240 zł pl: dvʲˈɛɕcʲɛ tʃtɛrdʑˈɛɕcʲi zˌɛtˈɛw | U+2212: (en)mˈaɪnəs(pl) dvʲˈɛɕcʲɛ tʃtɛrdʑˈɛɕcʲi zˌɛtˈɛw'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
