/**
 * The names of amenities and accessibility features in five languages. This is the only table of synonyms: the names on
 * one line mean the same, so a playroom with one of them matches a search for another.
 */

const table: ReadonlyArray<string> = [
  "step free access, step free, level access, wheelchair accessible, wheelchair access, wheelchair, wheelchair friendly, accessible, accessibility, disabled access, barrier free, ADA compliant, barrierefrei, rollstuhlgerecht, rollstuhlzugänglich, stufenlos, accessible en fauteuil roulant, accès fauteuil roulant, accès PMR, accessible PMR, plain-pied, accesible en silla de ruedas, silla de ruedas, sin escalones, sin barreras, バリアフリー, 車椅子, 車いす, 段差なし",
  "ramp on request, ramp, portable ramp, rampe, rampa, スロープ",
  "lift, elevator, aufzug, fahrstuhl, ascenseur, ascensor, エレベーター",
  "accessible toilet, accessible restroom, accessible bathroom, accessible WC, wheelchair accessible toilet, disabled toilet, disabled WC, ADA restroom, barrierefreies WC, barrierefreie Toilette, rollstuhlgerechtes WC, behindertentoilette, toilettes accessibles, toilettes PMR, WC PMR, baño accesible, aseo accesible, aseo adaptado, 多目的トイレ, 多機能トイレ, バリアフリートイレ",
  "changing places toilet, changing places, toilette für alle, adult changing table",
  "accessible parking, disabled parking, blue badge parking, behindertenparkplatz, parking PMR, stationnement PMR, aparcamiento para discapacitados, 障害者用駐車場",
  "hearing loop, induction loop, induktionsschleife, boucle magnétique, boucle à induction, bucle magnético, ヒアリングループ",
  "quiet hours, quiet hour, quiet session, sensory friendly hour, sensory friendly, low sensory session, relaxed session, autism friendly, ruhige stunde, heure calme, hora tranquila",
  "sensory room, sensory den, snoezelen, snoezelenraum, salle sensorielle, sala sensorial",
  "parking, car park, car parking, free parking, parking lot, parkplatz, parkplätze, stationnement, aparcamiento, estacionamiento, 駐車場",
  "cafe, coffee, coffee shop, coffee bar, cafeteria, kaffee, salon de thé, cafetería, カフェ",
  "baby changing, baby change, changing table, changing room for babies, nappy changing, diaper changing, wickeltisch, wickelraum, wickelmöglichkeit, table à langer, cambiador, cambiador de bebés, おむつ替え, おむつ交換台",
  "nursing room, breastfeeding corner, breastfeeding room, breastfeeding, stillecke, stillraum, salle d'allaitement, sala de lactancia, 授乳室",
  "buggy park, pram parking, stroller parking, pushchair parking, buggy parking, kinderwagenparkplatz, kinderwagenstellplatz, garage à poussettes, aparcamiento de cochecitos, ベビーカー置き場",
  "ball pool, ball pit, bällebad, piscine à balles, piscina de bolas, parque de bolas, ボールプール",
  "soft play, softplay, soft play area, juegos blandos, ソフトプレイ",
  "trampoline, trampolines, trampolin, trampolín, camas elásticas, トランポリン",
  "climbing wall, rock wall, bouldering, climbing, kletterwand, klettern, boulderwand, mur d'escalade, escalade, rocódromo, escalada, ボルダリング",
  "climbing frame, climbing dome, jungle gym, klettergerüst, ジャングルジム",
  "slide, slides, rutsche, toboggan, tobogán, 滑り台, すべり台",
  "air conditioning, aircon, air con, AC, klimaanlage, climatisation, aire acondicionado, エアコン, 冷房",
  "wifi, wi-fi, wlan, free wifi, internet, 無線LAN",
  "party room, birthday room, partyraum, geburtstagsraum, salle d'anniversaire, sala de fiestas, sala de cumpleaños, パーティールーム",
  "garden, yard, outdoor area, garten, jardin, jardín, 庭",
  "kitchen, kitchenette, küche, cuisine, cocina, キッチン",
  "messy play, painting, malen, peinture, pintura",
  "toddler area, baby area, toddler corner, baby corner, kleinkindbereich, espace bébé, zona de bebés, ベビーコーナー"
]

/** Without case, accents and punctuation, for looking up names. The database folds search texts on its own. */
export const foldName = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const spellings = [
  ["ä", "ae"],
  ["ö", "oe"],
  ["ü", "ue"]
] as const
/** With umlauts as two letters. */
const spellOut = (text: string): string =>
  spellings.reduce((out, [letter, two]) => out.replaceAll(letter, two), text.toLowerCase())

const byName = new Map<string, ReadonlyArray<string>>()
for (const line of table) {
  const names = line.split(", ")
  for (const name of names) for (const key of [foldName(name), foldName(spellOut(name))]) byName.set(key, names)
}

/** All synonyms of a name, which may have an ending: "elevators", "barrierefreies". */
const synonymsOf = (name: string): ReadonlyArray<string> | undefined => {
  const key = foldName(name)
  return byName.get(key) ?? byName.get(key.replace(/(?:s|e[mnrs]?)$/, ""))
}

/** The requested name first, then its synonyms. */
export const namesOf = (asked: string): ReadonlyArray<string> => [asked, ...(synonymsOf(asked) ?? [])]

/** Names in scripts without spaces between words, longest first. */
const unspaced = [...byName.values()]
  .flat()
  .filter((name) => /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/u.test(name))
  .sort((a, b) => b.length - a.length)

/** The most words of a name to look for within a text, and the most words of a text to examine. */
const [maxNameWords, maxWords] = [4, 60]

/** Names of the table within a text, each with its synonyms, longest first; and the rest of the text. */
export const namesIn = (
  text: string
): { readonly found: ReadonlyArray<ReadonlyArray<string>>; readonly rest: string } => {
  const found: Array<ReadonlyArray<string>> = []
  const rest: Array<string> = []
  let spaced = text.normalize("NFC")
  for (const name of unspaced) {
    if (!spaced.includes(name)) continue
    spaced = spaced.replaceAll(name, " ")
    found.push(namesOf(name))
  }
  const words = spaced
    .split(/[^\p{L}\p{M}\p{N}ー]+/u)
    .filter((word) => word !== "")
    .slice(0, maxWords)
  for (let i = 0; i < words.length;) {
    let taken = 0
    for (let length = Math.min(maxNameWords, words.length - i); length > 0 && taken === 0; length--) {
      const name = words.slice(i, i + length).join(" ")
      const names = synonymsOf(name)
      if (names === undefined) continue
      found.push([name, ...names])
      taken = length
    }
    if (taken === 0) rest.push(words[i] ?? "")
    i += Math.max(1, taken)
  }
  return { found, rest: rest.join(" ") }
}
