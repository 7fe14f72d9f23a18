#!/usr/bin/env bash
# Maciej is a Polish boy on his own, and a Scot before his family name.
#
# Guess: a library that gives names their capitals knows MacDonald from a list, or leaves the letters after "Mac" small.
# What happens: a name in Mac has a second capital, unless it is one of a few exceptions or ends in a, c, i, j, o or z.
# That end is looked for with one more letter, which may be the space behind the name. So Maciej and Maciejewska are
# right where nothing follows, and MacIej Nowak is not. Xi, a family name, is the eleventh.
# Seen: 2026-11-30, namecase 1.1.2, @compwright/namecase 2.0.7, Node 20.20.2.
# Why it matters here: lists of guests that come in capitals are put right by such a library, and the name goes onto an
# invitation. Whoever tries first names alone finds them right. We keep a name's capitals as somebody wrote them, for
# contacts and for children alike.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent namecase@1.1.2 @compwright/namecase@2.0.7
cat >try.cjs <<'JS'
const ofModule = (of) => (typeof of === "function" ? of : (of.default ?? of.namecase ?? Object.values(of)[0]))
const [one, other] = ["namecase", "@compwright/namecase"].map((name) => ofModule(require(name)))
for (const name of [
  "MACDONALD",
  "MACIEJ",
  "MACIEJ NOWAK",
  "NOWAK MACIEJ",
  "ANNA MACIEJEWSKA",
  "MACIEJEWSKA ANNA",
  "MACY GREEN",
  "LI NA",
  "LI XI"
]) {
  console.log(`${name}: ${one(name)} | ${other(name)}`)
}
JS
seen="$(node try.cjs)"
echo "$seen"
expected='MACDONALD: MacDonald | MacDonald
MACIEJ: Maciej | Maciej
MACIEJ NOWAK: MacIej Nowak | MacIej Nowak
NOWAK MACIEJ: Nowak Maciej | Nowak Maciej
ANNA MACIEJEWSKA: Anna Maciejewska | Anna Maciejewska
MACIEJEWSKA ANNA: MacIejewska Anna | MacIejewska Anna
MACY GREEN: Macy Green | Macy Green
LI NA: Li Na | Li Na
LI XI: Li XI | Li XI'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
