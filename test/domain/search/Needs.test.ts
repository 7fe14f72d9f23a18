/** What a venue's texts promise and deny, and what a query asks for. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { foldName } from "../../../src/domain/search/AmenityNames.ts"
import { mentionsOf, needsMetBy } from "../../../src/domain/search/Needs.ts"
import {
  nearestNeedWord,
  withoutElsewhere,
  withoutFillers,
  namesIn,
  needsNamed
} from "../../../src/domain/search/SearchWords.ts"
import { runs } from "../../support/runs.ts"

const silent = { name: "", summary: "", description: "", amenities: [], house_rules: "", accessibility: "" }

const saidIn = (field: "house_rules" | "accessibility" | "description", text: string) =>
  [...mentionsOf({ ...silent, [field]: text })]
    .map(([need, { denied }]) => `${denied.length > 0 ? "not " : ""}${need}`)
    .toSorted()

describe("a venue's text", () => {
  it.each([
    "Nut-free room.",
    "Nutfree!",
    "Nothing with nuts, please",
    "No nuts please",
    "Don't bring nuts",
    "No outside food or nuts",
    "Nuts are strictly forbidden.",
    "Food with nuts is not allowed",
    "We are a kitchen without peanuts",
    "Eigenes Essen ist willkommen, Nüsse bitte nicht.",
    "Keine Nüsse",
    "Nüsse sind verboten",
    "Nussfreier Raum",
    "Sans fruits à coque",
    "Pas de noix, merci",
    "Sin frutos secos",
    "Prohibidos los juguetes. Nueces prohibidas",
    "Inga nötter.",
    "ナッツ禁止です",
    "ナッツ類の持ち込みはご遠慮ください"
  ])("excludes nuts by %s", (text) => {
    assert.deepStrictEqual(saidIn("house_rules", text), ["nut_free"])
  })

  it.each([
    "We are not a nut-free venue",
    "We cannot guarantee a nut-free room",
    "We can't promise a nut free kitchen",
    "No longer nut-free",
    "Our cakes may contain nuts",
    "Kann Spuren von Nüssen enthalten",
    "We hope to be nut-free"
  ])("says the opposite by %s", (text) => {
    assert.deepStrictEqual(saidIn("house_rules", text), ["not nut_free"])
  })

  it.each([
    "Nuts welcome",
    "We don't mind nuts",
    "No shoes, nuts welcome",
    "No problem with nuts",
    "Nüsse nicht vergessen",
    "Nut free? Ask us.",
    "Peanut butter toast, free for all",
    "Nuts free of charge",
    "Splash-free water wall",
    "Adults go free",
    "An egg hunt at Easter",
    "A quiet corner for babies, a calm hall",
    "Children climb the ramp and lift off",
    "Tell us about allergies"
  ])("promises nothing by %s", (text) => {
    for (const field of ["house_rules", "description"] as const) assert.deepStrictEqual(saidIn(field, text), [])
  })

  it("goes on with a list, and no further", () => {
    assert.deepStrictEqual(saidIn("house_rules", "No eggs, nuts or milk."), ["egg_free", "milk_free", "nut_free"])
    assert.deepStrictEqual(saidIn("house_rules", "No eggs, nuts are fine."), ["egg_free"])
    assert.deepStrictEqual(saidIn("house_rules", "No eggs. Nuts, milk."), ["egg_free"])
  })

  it.each([
    ["Step-free entrance", ["step_free_access"]],
    ["Stufenloser Eingang, barrierefreies WC", ["accessible_toilet", "step_free_access"]],
    ["Toilet not wheelchair accessible", ["not step_free_access"]],
    ["Step-free entrance; toilet not wheelchair accessible", ["not step_free_access"]],
    ["The entrance isn't step-free", ["not step_free_access"]],
    ["Step-free access is not available", ["not step_free_access"]],
    ["Step-free entrance planned", ["not step_free_access"]],
    ["Limited wheelchair access", ["not step_free_access"]],
    ["Nicht rollstuhlgerecht", ["not step_free_access"]],
    ["Pas accessible en fauteuil roulant", ["not step_free_access"]],
    ["No accesible en silla de ruedas", ["not step_free_access"]],
    ["バリアフリーではありません", ["not step_free_access"]],
    ["No lift", ["not lift"]],
    ["Accessible toilet", ["accessible_toilet"]],
    ["A quiet hour on Tuesdays at 9", ["quiet_hours"]],
    ["Low-sensory session on Tuesdays", ["quiet_hours"]]
  ])("about accessibility: %s", (text, said) => {
    assert.deepStrictEqual(saidIn("accessibility", text), said)
  })

  it("meets no need that any field denies, whatever the others say", () => {
    const venue = { ...silent, amenities: ["step-free access"], accessibility_features: ["step_free_access"] as const }
    assert.deepStrictEqual(needsMetBy(venue), ["step_free_access"])
    assert.deepStrictEqual(needsMetBy({ ...venue, accessibility: "Toilet not wheelchair accessible" }), [])
    assert.deepStrictEqual(needsMetBy({ ...venue, accessibility_lacks: ["step_free_access"] }), [])
    assert.deepStrictEqual(needsMetBy({ ...silent, quiet_hours: [{}] }), ["quiet_hours"])
  })

  it("is read in a bounded time, whatever it is", () => {
    const words = [
      "no ",
      "nuts, ",
      "free ",
      "or ",
      "not wheelchair ",
      "ナッツ",
      "accessible toilet ",
      "(",
      "n't ",
      "é",
      "\n"
    ]
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.constantFrom(...words), (one, other) => {
        const text = (one + other).repeat(1800).slice(0, 1800)
        const begun = process.cpuUsage()
        mentionsOf({ ...silent, description: text, house_rules: text, accessibility: text, summary: text })
        assert.isBelow(process.cpuUsage(begun).user / 1000, 1000)
      }),
      { numRuns: runs(60) }
    )
  })
})

describe("a child without its parents", () => {
  it.each([
    ["Drop-off parties from six years", ["drop_off"]],
    ["Parents may leave for the party", ["drop_off"]],
    ["Parents need not stay", ["drop_off"]],
    ["Leave your children with us", ["drop_off"]],
    ["Les parents peuvent partir", ["drop_off"]],
    ["付き添い不要です", ["drop_off"]],
    ["保護者の付き添いは不要です", []],
    ["No drop-offs", ["not drop_off"]],
    ["We are not a drop-off party place", ["not drop_off"]],
    ["Drop-off parties. Under fives accompanied by an adult", ["not drop_off"]],
    ["Grown-ups stay on site", ["not drop_off"]],
    ["Eltern bleiben im Haus", ["not drop_off"]],
    ["Les parents restent sur place", ["not drop_off"]],
    ["Los padres se quedan", ["not drop_off"]],
    ["保護者同伴でお願いします", ["not drop_off"]],
    ["Drop-in hour", []],
    ["A drop-off bay by the door", []],
    ["Leave the children's shoes at the door", []],
    ["Kleine Kinder nicht ohne Eltern", []]
  ])("%s", (text, said) => {
    for (const field of ["house_rules", "description"] as const) assert.deepStrictEqual(saidIn(field, text), said)
  })
})

const asked = (query: string) => {
  const { found, rest } = namesIn(query)
  return [...found.map(({ concepts }) => concepts.map(({ need, names }) => need ?? names[0]).join("|")), rest]
}

describe("a query", () => {
  it.each([
    "nuts",
    "nut-free",
    "nutfree",
    "nut free allergy",
    "nut allergy",
    "NUT ALLERGIES",
    "no nuts",
    "peanut allergy",
    "Nussallergie",
    "nussfrei",
    "ohne Nüsse",
    "sans fruits à coque",
    "sans noix",
    "sin frutos secos",
    "ナッツアレルギー",
    "ナッツなし"
  ])("asks for one need by %s", (query) => {
    assert.deepStrictEqual(asked(query), ["nut_free", ""])
    assert.deepStrictEqual(needsNamed(query), ["nut_free"])
  })

  it.each([
    ["egg and nut allergy", ["egg_free", "nut_free", "and"]],
    ["egg free", ["egg_free", ""]],
    ["ohne Ei", ["egg_free", ""]],
    ["卵アレルギー 東京", ["egg_free", "東京"]],
    ["egg hunt", ["egg hunt"]],
    ["dairy free", ["milk_free", ""]],
    ["sans gluten", ["gluten_free", ""]],
    ["allergy friendly cafe", ["allergy_aware", "cafe", ""]],
    ["wheelchair accessible toilet", ["accessible_toilet", ""]],
    ["silla de ruedas", ["step_free_access", ""]],
    ["rollstuhl", ["step_free_access", ""]],
    ["車椅子", ["step_free_access", ""]],
    ["quiet sensory session", ["quiet_hours", ""]],
    ["autism", ["quiet_hours|sensory_room", ""]],
    ["自閉症", ["quiet_hours|sensory_room", ""]],
    ["heures calmes", ["quiet_hours", ""]],
    ["free parking", ["parking", ""]],
    ["free session", ["free session"]]
  ])("%s", (query, expected) => {
    assert.deepStrictEqual(asked(query), expected)
  })

  it.each([
    ["wheel chair access", ["step_free_access", ""]],
    ["barriere frei", ["step_free_access", ""]],
    ["ｸﾞﾙﾃﾝフリー", ["gluten_free", ""]],
    ["cashew allergy", ["nut_free", ""]],
    ["allergique aux amandes", ["nut_free", "aux"]],
    ["coeliac disease", ["gluten_free", ""]],
    ["sesame allergy", ["sesame_free", ""]],
    ["fish and soy allergies", ["fish_free", "soy_free", "and"]],
    ["Latexallergie", ["latex_free", ""]],
    ["alergia al huevo", ["egg_free", "al"]],
    ["intolerancia al trigo", ["gluten_free", ""]],
    ["parking handicapé", ["accessible_parking", ""]],
    ["rollstuhlgerechte Toilette", ["accessible_toilet", ""]],
    ["fish tank", ["fish tank"]]
  ])("%s, too", (query, expected) => {
    assert.deepStrictEqual(asked(query), expected)
  })

  it.each([
    ["trampolines for 7 year olds", "trampolines", ["7 year olds"]],
    ["trampoline samedi matin", "trampoline", ["samedi", "matin"]],
    ["Trampolin vormittags, günstig", "Trampolin ,", ["vormittags", "günstig"]],
    ["circo barato entre semana", "circo", ["barato", "entre semana"]],
    ["車椅子で行ける遊び場 日曜日の午前", "車椅子", ["日曜日", "午前"]],
    ["Pier 39", "Pier 39", []],
    ["toddler morning", "toddler morning", []],
    ["circus for a party of 6", "circus", ["party of 6"]],
    ["kostenlos für Jugendliche in den Herbstferien", "", ["kostenlos", "Jugendliche", "Herbstferien"]],
    ["小学生 夏休み サーカス", "サーカス", ["小学生", "夏休み"]],
    ["Fun House for some fun", "Fun House", []]
  ])("%s: what has arguments of its own is no word", (query, rest, elsewhere) => {
    const read = withoutElsewhere(query)
    assert.deepStrictEqual(read.elsewhere, elsewhere)
    assert.strictEqual(withoutFillers(read.rest).trim().replaceAll(/\s+/g, " "), rest)
  })

  it.each([
    ["wheelchiar", "wheelchair"],
    ["wheelchar", "wheelchair"],
    ["alergy", "allergy"],
    ["glutenfri", "glutenfri"],
    ["glutnefrei", "glutenfrei"],
    ["laktoseintolleranz", "laktoseintoleranz"],
    ["rolstuhl", "rollstuhl"],
    ["barierrefrei", "barrierefrei"],
    ["fauteil", "fauteuil"],
    ["arachyde", "arachide"],
    ["discapasidad", "discapacidad"],
    ["quite", "quiet"],
    ["sensoy", "sensory"]
  ])("%s is a misspelt %s", (word, need) => {
    assert.strictEqual(nearestNeedWord(word), need)
  })

  it("a word of another meaning is no misspelt need", () => {
    for (const word of "camp climbing castle noise lamp gift party nusskuchen beach london berlin calmar theatre trampolin".split(
      " "
    ))
      assert.isUndefined(nearestNeedWord(word), word)
  })

  it("a misspelt word is looked up in a bounded time", () => {
    const begun = process.cpuUsage()
    for (let n = 0; n < 1200; n++)
      nearestNeedWord(`${"anegrstlw"[n % 9] ?? ""}${"allergienunvertraglichkeit".slice(0, (n % 38) + 2)}x${n}`)
    // A query has twelve words at most.
    assert.isBelow(process.cpuUsage(begun).user / 1000 / 100, 20)
  })

  it("keeps every word, in what it asks for or in the rest", () => {
    const words = [
      "nut",
      "free",
      "allergy",
      "egg",
      "quiet",
      "session",
      "wheelchair",
      "London",
      "no",
      "and",
      "sans",
      "de",
      "Nussallergie"
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), (query) => {
        const { found, rest } = namesIn(query.join(" "))
        const kept = foldName([...found.map(({ shown }) => shown), rest].join(" "))
          .split(" ")
          .filter(Boolean)
          .toSorted()
        // An allergy to something named is no need of its own.
        const all = (among: ReadonlyArray<string>) => among.filter((word) => word !== "allergy").join(" ")
        assert.strictEqual(all(kept), all(query.map(foldName).toSorted()))
      }),
      { numRuns: runs(300) }
    )
  })
})
