/**
 * The names of amenities, accessibility features and needs in five languages. This is the only table of synonyms: the
 * names on one line mean the same, so a playroom with one of them matches a search for another.
 */
import type { AccessibilityFeature } from "../catalogue/Playroom.ts"

/**
 * What a family can't do without. Unlike an amenity it is never met by a part of its words, and a search says of each
 * playroom whether it is met (`Needs.ts`).
 */
export type Need = AccessibilityFeature | "nut_free" | "egg_free" | "gluten_free" | "milk_free" | "allergy_aware"

/** What people ask for by one of several names. */
export interface Concept {
  readonly need?: Need
  /** Its names, by which playrooms have it and people ask for it. */
  readonly names: ReadonlyArray<string>
  /** Further names by which people ask for it. In a text of a playroom they may mean something else ("a quiet corner"). */
  readonly asked: ReadonlyArray<string>
  /** What must not be there. The need is met if a text excludes one of these: "nothing with nuts", "nut-free". */
  readonly without: ReadonlyArray<string>
  /** The same, but only next to a word like "free" or "allergy": "egg hunt" is no need. */
  readonly withoutIfSaid: ReadonlyArray<string>
}

const list = (names: string | undefined): ReadonlyArray<string> => names?.split(", ") ?? []

const concept = (
  names: string,
  more: { need?: Need; asked?: string; without?: string; withoutIfSaid?: string } = {}
): Concept => ({
  ...(more.need === undefined ? {} : { need: more.need }),
  names: list(names === "" ? undefined : names),
  asked: list(more.asked),
  without: list(more.without),
  withoutIfSaid: list(more.withoutIfSaid)
})

/** All concepts. A name may stand on two lines: then either is meant. */
export const concepts: ReadonlyArray<Concept> = [
  concept("", {
    need: "nut_free",
    without:
      "nut, nuts, peanut, peanuts, groundnuts, tree nut, tree nuts, hazelnut, hazelnuts, almonds, walnuts, nuss, nüsse, nüssen, erdnuss, erdnüsse, erdnüssen, haselnüsse, schalenfrüchte, noix, noisettes, arachide, arachides, cacahuète, cacahuètes, cacahouètes, fruit à coque, fruits à coque, fruto seco, frutos secos, nuez, nueces, cacahuete, cacahuetes, maní, almendras, avellanas, nötter, jordnötter, ナッツ, ピーナッツ, 木の実, 落花生"
  }),
  concept("", {
    need: "egg_free",
    withoutIfSaid:
      "egg, eggs, ei, eier, eiern, hühnerei, œuf, œufs, oeuf, oeufs, huevo, huevos, ägg, 卵, たまご, 玉子, タマゴ"
  }),
  concept("", {
    need: "gluten_free",
    without:
      "gluten, glutens, coeliac, celiac, zöliakie, maladie cœliaque, cœliaque, celiaco, celíaca, celíaquía, グルテン",
    withoutIfSaid: "wheat, weizen, blé, trigo, vete, 小麦"
  }),
  concept("", {
    need: "milk_free",
    without:
      "lactose, laktose, lactosa, laktos, cow's milk, kuhmilch, lait de vache, leche de vaca, dairy, 乳製品, 乳糖",
    withoutIfSaid: "milk, milch, lait, leche, lácteos, produits laitiers, mjölk, 牛乳, ミルク"
  }),
  concept(
    "allergy friendly, allergy aware, allergen free, allergen aware, allergikerfreundlich, allergenfrei, sans allergènes, sin alérgenos, アレルギー対応",
    {
      need: "allergy_aware",
      asked:
        "allergy, allergies, allergic, allergen, allergens, allergie, allergien, allergiker, allergisch, allergène, allergènes, allergique, allergiques, alergia, alergias, alérgeno, alérgenos, alérgico, alérgica, アレルギー"
    }
  ),
  concept(
    "step free access, step free, level access, wheelchair accessible, wheelchair access, wheelchair friendly, disabled access, barrier free, ADA compliant, barrierefrei, rollstuhlgerecht, rollstuhlzugänglich, rollstuhlgeeignet, stufenlos, accessible en fauteuil roulant, accès fauteuil roulant, accès PMR, accessible PMR, plain-pied, accesible en silla de ruedas, sin escalones, sin barreras, バリアフリー, 段差なし, 車椅子対応",
    {
      need: "step_free_access",
      asked:
        "wheelchair, wheelchairs, wheelchair user, accessible, accessibility, disabled, disability, rollstuhl, rollstuhlfahrer, fauteuil roulant, PMR, silla de ruedas, discapacidad, accesible, 車椅子, 車いす"
    }
  ),
  concept("ramp on request, portable ramp, スロープ", { need: "ramp_on_request", asked: "ramp, rampe, rampa" }),
  concept("passenger lift, lift to all floors, elevator, aufzug, fahrstuhl, ascenseur, ascensor, エレベーター", {
    need: "lift",
    asked: "lift"
  }),
  concept(
    "accessible toilet, accessible toilets, accessible restroom, accessible bathroom, accessible WC, wheelchair accessible toilet, disabled toilet, disabled WC, ADA restroom, ADA compliant restroom, barrierefreies WC, barrierefreie Toilette, rollstuhlgerechtes WC, behindertentoilette, toilettes accessibles, toilettes PMR, WC PMR, baño accesible, aseo accesible, aseo adaptado, 多目的トイレ, 多機能トイレ, バリアフリートイレ",
    { need: "accessible_toilet" }
  ),
  concept("changing places toilet, changing places, toilette für alle, adult changing table", {
    need: "changing_places_toilet"
  }),
  concept(
    "accessible parking, disabled parking, blue badge parking, behindertenparkplatz, parking PMR, stationnement PMR, aparcamiento para discapacitados, 障害者用駐車場",
    { need: "accessible_parking" }
  ),
  concept(
    "hearing loop, induction loop, induktionsschleife, boucle magnétique, boucle à induction, bucle magnético, ヒアリングループ",
    {
      need: "hearing_loop"
    }
  ),
  concept(
    "quiet hours, quiet hour, quiet session, quiet time, sensory friendly hour, sensory friendly, sensory session, sensory hour, low sensory session, low sensory, relaxed session, autism friendly, autism hour, ruhige stunde, ruhestunde, reizarm, reizarme stunde, autismusfreundlich, heure calme, heures calmes, hora tranquila, horas tranquilas, hora silenciosa, クワイエットアワー, センサリーフレンドリー",
    {
      need: "quiet_hours",
      asked:
        "quiet, quieter, SEN, autism, autistic, sensory, ruhig, ruhige, leise, autismus, autistisch, sensorisch, calme, autisme, autiste, sensoriel, tranquilo, tranquila, silencio, autismo, autista, sensorial, 静か, 自閉症, 感覚過敏, センサリー"
    }
  ),
  concept("sensory room, sensory den, snoezelen, snoezelenraum, salle sensorielle, sala sensorial, センサリールーム", {
    need: "sensory_room",
    asked:
      "autism, autistic, sensory, autismus, autistisch, sensorisch, autisme, autiste, sensoriel, autismo, autista, sensorial, 自閉症, 感覚過敏, センサリー"
  }),
  concept(
    "parking, car park, car parking, free parking, parking lot, parkplatz, parkplätze, stationnement, aparcamiento, estacionamiento, 駐車場"
  ),
  concept("cafe, coffee, coffee shop, coffee bar, cafeteria, kaffee, salon de thé, cafetería, カフェ"),
  concept(
    "baby changing, baby change, changing table, changing room for babies, nappy changing, diaper changing, wickeltisch, wickelraum, wickelmöglichkeit, table à langer, cambiador, cambiador de bebés, おむつ替え, おむつ交換台"
  ),
  concept(
    "nursing room, breastfeeding corner, breastfeeding room, breastfeeding, stillecke, stillraum, salle d'allaitement, sala de lactancia, 授乳室"
  ),
  concept(
    "buggy park, pram parking, stroller parking, pushchair parking, buggy parking, kinderwagenparkplatz, kinderwagenstellplatz, garage à poussettes, aparcamiento de cochecitos, ベビーカー置き場"
  ),
  concept("ball pool, ball pit, bällebad, piscine à balles, piscina de bolas, parque de bolas, ボールプール"),
  concept("soft play, softplay, soft play area, juegos blandos, ソフトプレイ"),
  concept("trampoline, trampolines, trampolin, trampolín, camas elásticas, トランポリン"),
  concept(
    "climbing wall, rock wall, bouldering, climbing, kletterwand, klettern, boulderwand, mur d'escalade, escalade, rocódromo, escalada, ボルダリング"
  ),
  concept("climbing frame, climbing dome, jungle gym, klettergerüst, ジャングルジム"),
  concept("slide, slides, rutsche, toboggan, tobogán, 滑り台, すべり台"),
  concept("air conditioning, aircon, air con, AC, klimaanlage, climatisation, aire acondicionado, エアコン, 冷房"),
  concept("wifi, wi-fi, wlan, free wifi, internet, 無線LAN"),
  concept(
    "party room, birthday room, partyraum, geburtstagsraum, salle d'anniversaire, sala de fiestas, sala de cumpleaños, パーティールーム"
  ),
  concept("garden, yard, outdoor area, garten, jardin, jardín, 庭"),
  concept("kitchen, kitchenette, küche, cuisine, cocina, キッチン"),
  concept("messy play, painting, malen, peinture, pintura"),
  concept(
    "toddler area, baby area, toddler corner, baby corner, kleinkindbereich, espace bébé, zona de bebés, ベビーコーナー"
  )
]

/** Without case, accents and punctuation, for looking up names. The database folds search texts on its own. */
export const foldName = (text: string): string =>
  // Most texts have no accents, and folding them takes most of the time of reading them.
  (/^[\x20-\x7e]*$/.test(text)
    ? text.toLowerCase()
    : text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss").replaceAll("œ", "oe")
  )
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

/** The keys by which a name is looked up. */
export const keysOf = (name: string): ReadonlyArray<string> => [...new Set([foldName(name), foldName(spellOut(name))])]

/** The names of concepts by their keys. */
export const byKey = (
  namesIn: (concept: Concept) => ReadonlyArray<string>
): ReadonlyMap<string, ReadonlyArray<Concept>> => {
  const found = new Map<string, Array<Concept>>()
  for (const concept of concepts)
    for (const key of new Set(namesIn(concept).flatMap(keysOf))) {
      const named = found.get(key)
      if (named === undefined) found.set(key, [concept])
      else named.push(concept)
    }
  return found
}

/** Whoever has an ending is looked up without it, too: "elevators", "barrierefreies". */
export const withoutEnding = (key: string): string => key.replace(/(?:s|e[mnrs]?)$/, "")

const named = byKey(({ asked, names }) => [...names, ...asked])

/** The concepts that a name may mean. It may have an ending. */
export const conceptsOf = (name: string): ReadonlyArray<Concept> => {
  const key = foldName(name)
  return named.get(key) ?? named.get(withoutEnding(key)) ?? []
}

/** The requested name first, then its synonyms. */
export const namesOf = (asked: string): ReadonlyArray<string> => [
  asked,
  ...conceptsOf(asked).flatMap((concept) => [...concept.names, ...concept.asked])
]

/** Whether a name is of a script without spaces between words. */
export const isUnspaced = (name: string): boolean =>
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/u.test(name)
