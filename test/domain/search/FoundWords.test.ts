/** What of a query each result has and where, what it lacks, and which results come first. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { refreshSearchFacts } from "../../../src/domain/search/SearchFacts.ts"
import type { SearchQuery } from "../../../src/domain/search/SearchQuery.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, importRooms, packageJson, playroomJson } from "../../support/catalogues.ts"
import { runs } from "../../support/runs.ts"
import { demoWorld, namesOf, oneOf, pagesOf, search, searchWorld } from "../../support/searchWorld.ts"

const nutFree = ["Sunny Side Bedminster", "Entdeckerhaus Haidhausen", "Golden Gate Play Sunset", "Lekstugan Södermalm"]
const quiet = ["Hackney Commons Playroom", "Golden Gate Play Mission", "Harbour Play Newtown"]

layer(demoWorld)("the words of a search in the demo", (it) => {
  it.effect("nuts are one need in five languages, and found in house rules", () =>
    Effect.gen(function* () {
      for (const query of [
        "nut free allergy",
        "nut-free",
        "nuts",
        "Nussallergie",
        "sans noix",
        "sin frutos secos",
        "ナッツアレルギー"
      ]) {
        const { playrooms, query_hint } = yield* search({ query })
        assert.deepStrictEqual(
          playrooms.map(({ name }) => name),
          nutFree,
          query
        )
        for (const { matched, unmatched } of playrooms) {
          assert.deepStrictEqual(matched, [`${query.replace("-", " ")}: house_rules`])
          assert.isUndefined(unmatched)
        }
        assert.isUndefined(query_hint)
      }
    })
  )

  it.effect("packages and add-ons are found by their names, packages by what they say, too", () =>
    Effect.gen(function* () {
      for (const [query, name, told] of [
        ["Schatzsuche Berlin", "Entdeckerhaus Prenzlauer Berg", "Schatzsuche: packages, description"],
        ["Bauwettbewerb", "Entdeckerhaus Haidhausen", "bauwettbewerb: packages"],
        ["Baumeister", "Entdeckerhaus Haidhausen", "baumeister: packages, add_ons"],
        ["bunting", "Sunny Side Bedminster", "bunting: packages"],
        ["theaterkalas", "Lekstugan Linné", "theaterkalas (read as teaterkalas): packages"],
        ["fairy bread", "Harbour Play Newtown", "fairy: packages, add_ons"],
        ["face painter London", "Sunny Side Clapham", "face painter: add_ons"],
        ["Ansiktsmalning Göteborg", "Lekstugan Linné", "Ansiktsmalning: add_ons"]
      ] as const) {
        const { playrooms, query_hint } = yield* search({ query })
        const [first] = playrooms
        assert.strictEqual(first?.name, name, query)
        assert.include(first?.matched ?? [], told)
        assert.isUndefined(query_hint)
      }
    })
  )

  it.effect("quiet sessions for a wheelchair are where they are, with the field; a quiet corner is none", () =>
    Effect.gen(function* () {
      const { playrooms } = yield* search({ query: "quiet sensory session autism wheelchair" })
      assert.deepStrictEqual(
        playrooms.map(({ name }) => name),
        quiet
      )
      for (const { matched = [] } of playrooms)
        assert.deepStrictEqual(
          matched.map((one) => one.split(":")[0]),
          ["quiet sensory session", "autism", "wheelchair"]
        )
      for (const query of ["quiet", "ruhige Stunde", "heures calmes", "hora tranquila", "クワイエットアワー"])
        assert.deepStrictEqual(yield* namesOf({ query }), quiet, query)
    })
  )

  it.effect("a need that nothing at a place meets is said of each result, after what meets it elsewhere", () =>
    Effect.gen(function* () {
      const { playrooms } = yield* search({ query: "nut free London", limit: 50 })
      assert.deepStrictEqual(
        playrooms.map(({ name }) => name),
        [...nutFree, "Sunny Side Clapham", "Hackney Commons Playroom"]
      )
      for (const { matched, name, unmatched } of playrooms)
        assert.deepStrictEqual(
          [matched, unmatched],
          nutFree.includes(name) ? [["nut free: house_rules"], ["london"]] : [["london: city, address"], ["nut free"]],
          name
        )
      const inLondon = yield* search({ query: "nut free", city: "London" })
      assert.deepStrictEqual(
        inLondon.playrooms.map(({ unmatched }) => unmatched),
        [["nut free"], ["nut free"]]
      )
      assert.include(inLondon.query_hint, 'None of these says that it meets "nut free"')
    })
  )

  it.effect("a need that nobody meets is never passed over: results say so, and so does the page", () =>
    Effect.gen(function* () {
      const all = yield* namesOf({})
      for (const query of ["egg free", "egg allergy session", "卵アレルギー"]) {
        assert.deepStrictEqual((yield* pagesOf({ query })).flat(), all, query)
        const page = yield* search({ query, limit: 50 })
        for (const { matched, unmatched } of page.playrooms) {
          assert.isUndefined(matched)
          assert.strictEqual(unmatched?.length, 1)
        }
        assert.include(page.query_hint, "so none is known to fit: tell the person")
      }
      // The rest of the words is still found.
      const trampoline = yield* search({ query: "egg-free trampoline" })
      assert.deepStrictEqual(trampoline.playrooms[0]?.unmatched, ["egg free"])
      assert.strictEqual(trampoline.playrooms[0]?.name, "Entdeckerhaus Kreuzberg")
    })
  )

  it.effect("who says the opposite is not matched, and the answer says where", () =>
    Effect.gen(function* () {
      const bedminster = yield* oneOf({ query: "wheelchair Bristol" }, "Sunny Side Bedminster")
      assert.deepStrictEqual(bedminster.unmatched, ["wheelchair: accessibility_lacks, accessibility says the opposite"])
      assert.deepStrictEqual(bedminster.matched, ["bristol: city, address"])
      const kreuzberg = yield* oneOf({ query: "rollstuhlgerechtes Trampolin" }, "Entdeckerhaus Kreuzberg")
      assert.match(kreuzberg.unmatched?.[0] ?? "", /^rollstuhlgerechtes: .* says the opposite$/)
      // Step-free, but not the toilet: told as well.
      const sunset = yield* oneOf({ query: "wheelchair San Francisco" }, "Golden Gate Play Sunset")
      assert.deepStrictEqual(sunset.accessibility_lacks, ["accessible_toilet"])
    })
  )

  it.effect("a filler finds nothing by itself, and what is not looked for is said", () =>
    Effect.gen(function* () {
      const all = yield* namesOf({})
      for (const query of ["free", "session", "free sessions for families"])
        assert.deepStrictEqual(yield* namesOf({ query }), all, query)
      const free = yield* search({ query: "free trampoline" })
      assert.strictEqual(free.query_hint, 'Not looked for: "free".')
      const many = Array.from({ length: 14 }, (_, i) => `zzz${String.fromCharCode(97 + i)}`)
      const page = yield* search({ query: many.join(" ") })
      assert.strictEqual(
        page.query_hint,
        `No playroom has ${many
          .slice(0, 12)
          .map((word) => `"${word}"`)
          .join(", ")}. Not looked for: "zzzm", "zzzn".`
      )
      // A need among many words is not lost.
      const lost = yield* search({ query: [...many, "nut-free"].join(" ") })
      assert.deepStrictEqual(
        lost.playrooms.map(({ name }) => name),
        nutFree
      )
    })
  )

  it.effect("words that work are among the known values, needs too, and each of them finds something", () =>
    Effect.gen(function* () {
      const page = yield* search({ query: "xylophone" })
      assert.strictEqual(page.query_hint, 'No playroom has "xylophone".')
      const values = page.known_values?.find(({ filter }) => filter === "query")?.values ?? []
      for (const value of ["nut free", "quiet hours", "baby changing"]) assert.include(values, value)
      for (const value of values) {
        const found = yield* search({ query: value, limit: 1 })
        assert.isNotEmpty(found.playrooms[0]?.matched ?? [], value)
        assert.isNotEmpty(yield* namesOf({ amenities: [value] }), value)
      }
      const none = yield* search({ amenities: ["moon base"] })
      assert.deepStrictEqual(none.known_values?.find(({ filter }) => filter === "amenities")?.values, values)
      assert.deepStrictEqual(yield* namesOf({ amenities: ["Nussallergie"] }), nutFree)
      assert.deepStrictEqual(yield* namesOf({ amenities: ["quiet"] }), quiet)
    })
  )

  it.effect("a misspelt need is the need in five languages: told as it is read, and never found in another sense", () =>
    Effect.gen(function* () {
      for (const [query, told] of [
        ["nut alergy", "nut alergy (read as nut allergy): house_rules"],
        ["peanutt allergy", "peanutt allergy (read as peanut allergy): house_rules"],
        ["Nussalergie", "Nussalergie (read as nussallergie): house_rules"],
        ["Erdnüse", "Erdnüse (read as erdnuss): house_rules"],
        ["alergie aux cacahuettes", "cacahuettes (read as cacahuetes): house_rules"],
        ["sin frutos sekos", "sin frutos sekos (read as sin frutos secos): house_rules"],
        ["車いす ﾅｯﾂなし", "ナッツなし: house_rules"]
      ] as const) {
        const { playrooms } = yield* search({ query })
        assert.include(nutFree, playrooms[0]?.name, query)
        for (const { matched = [], name } of playrooms.slice(0, 1)) assert.include(matched, told, name)
      }
      // Gluten is nowhere: that is said, and no other word stands in for it.
      for (const query of ["glutenfrie", "glutne free", "gluten frei", "celiaque", "sin glutn", "glúten-free"]) {
        const { playrooms, query_hint } = yield* search({ query, limit: 50 })
        for (const { matched, unmatched } of playrooms)
          assert.deepStrictEqual([matched, unmatched?.length], [undefined, 1])
        assert.include(query_hint, "so none is known to fit", query)
      }
      for (const query of [
        "wheelchiar accessible",
        "weelchair",
        "rollstul gerecht",
        "fauteil roulant",
        "silla de rueda"
      ]) {
        const { unmatched = [] } = yield* oneOf({ query, city: "Bristol" }, "Sunny Side Bedminster")
        assert.match(unmatched[0] ?? "", /read as .*accessibility says the opposite$/, query)
      }
      assert.deepStrictEqual(yield* namesOf({ amenities: ["nut alergy"] }), nutFree)
    })
  )

  it.effect("days, ages, numbers and prices are no words: the rest of a wish is looked for, and that is said", () =>
    Effect.gen(function* () {
      for (const [query, elsewhere, first, matched, unmatched] of [
        [
          "for my daughter's 6th birthday next saturday with 12 kids, one has celiac disease",
          '"6th", "saturday", "12 kids"',
          undefined,
          ["birthday"],
          ["celiac disease"]
        ],
        [
          "Kindergeburtstag für 8 Kinder am 12. Dezember in Berlin, ein Kind ist im Rollstuhl",
          '"8 Kinder", "12. Dezember"',
          "Entdeckerhaus Prenzlauer Berg",
          ["Rollstuhl", "berlin", "Kindergeburtstag"],
          []
        ],
        [
          "anniversaire pour ma fille de 6 ans samedi prochain avec 10 enfants à Londres",
          '"6 ans", "samedi", "10 enfants"',
          "Sunny Side Clapham",
          [],
          []
        ],
        [
          "cumpleaños de mi hijo de 5 años el próximo sábado con 12 niños alérgicos a los frutos secos",
          '"5 años", "sábado", "12 niños"',
          undefined,
          [],
          []
        ],
        [
          "来週の土曜日に12人で6歳の誕生日 ボルダリング",
          '"来週の土曜日", "12人", "6歳"',
          undefined,
          ["誕生日", "ボルダリング"],
          []
        ]
      ] as const) {
        const { playrooms, query_hint } = yield* search({ query })
        assert.include(query_hint, `Not looked for in words: ${elsewhere}. Days, ages,`, query)
        const [one] = playrooms
        if (first !== undefined) assert.strictEqual(one?.name, first, query)
        const told = [...(one?.matched ?? []).map((word) => word.split(": ")[0] ?? ""), ...(one?.unmatched ?? [])]
        for (const word of [...matched, ...unmatched]) assert.include(told, word, query)
        assert.isAtMost(told.length, 4, `${query}: ${told.join()}`)
      }
      const days = yield* search({ query: "saturday 12 kids" })
      assert.isAtLeast(days.playrooms.length, 5)
      assert.include(days.query_hint, '"saturday", "12 kids"')
    })
  )

  it.effect("a misspelt word is told with what it was read as", () =>
    Effect.gen(function* () {
      const { playrooms } = yield* search({ query: "tranpoline" })
      assert.match(playrooms[0]?.matched?.[0] ?? "", /^tranpoline \(read as trampoline\): /)
    })
  )
})

type NeedName = "nuts" | "gluten" | "wheelchair" | "quiet"
interface Claim {
  readonly text: string
  readonly need?: NeedName
  readonly isMet?: boolean
  readonly word?: string
}
/** Sentences of venues, with what they say. */
const claims: ReadonlyArray<Claim> = [
  { text: "Nut-free room.", need: "nuts", isMet: true },
  { text: "Bitte keine Nüsse mitbringen.", need: "nuts", isMet: true },
  { text: "Not a nut-free venue.", need: "nuts", isMet: false },
  { text: "Sans gluten.", need: "gluten", isMet: true },
  { text: "Our cakes may contain gluten.", need: "gluten", isMet: false },
  { text: "Step-free entrance.", need: "wheelchair", isMet: true },
  { text: "Toilet not wheelchair accessible.", need: "wheelchair", isMet: false },
  { text: "A quiet hour on some days.", need: "quiet", isMet: true },
  { text: "Nuts and gluten on sale." },
  { text: "A free corner, quiet at night." },
  { text: "Ask us about allergies." },
  { text: "Sessions every hour." },
  ...["planetarium", "lantern", "acrobat", "rocket"].map((word) => ({ text: `A ${word} here.`, word }))
]
/** What people type, with how it is told; and the need or the word that it is. */
const askable: ReadonlyArray<{
  readonly typed: string
  readonly told: string
  readonly need?: NeedName
  readonly word?: string
}> = [
  { typed: "nut-free", told: "nut free", need: "nuts" },
  { typed: "gluten allergy", told: "gluten allergy", need: "gluten" },
  { typed: "Rollstuhl", told: "Rollstuhl", need: "wheelchair" },
  { typed: "autism friendly", told: "autism friendly", need: "quiet" },
  { typed: "Planetarium", told: "Planetarium", word: "planetarium" },
  { typed: "LANTERNS", told: "lanterns", word: "lantern" },
  { typed: "ácrobat", told: "acrobat", word: "acrobat" },
  { typed: "rocket", told: "rocket", word: "rocket" },
  { typed: "zeppelin", told: "zeppelin", word: "zeppelin" }
]
const fields = ["summary", "description", "house_rules", "bring", "accessibility"] as const
type Field = (typeof fields)[number]
type Placed = Claim & { readonly field: Field }

const venues = fc.array(
  fc
    .array(fc.record({ field: fc.constantFrom(...fields), claim: fc.constantFrom(...claims) }), { maxLength: 6 })
    .map((placed): ReadonlyArray<Placed> => placed.map(({ claim, field }) => ({ ...claim, field }))),
  { minLength: 14, maxLength: 14 }
)

/** "word: field, field", as an answer tells it. */
const read = (told: string) => {
  const [word = "", where = ""] = told.split(": ")
  return { word, where: where.replace(" says the opposite", "").split(", ") }
}

layer(searchWorld)("the words of any search", (it) => {
  it.effect(
    "are all told at each result: matched where they are, unmatched where they are not, needs first",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        let [matchedCount, deniedCount, fullCount] = [0, 0, 0]
        for (const world of fc.sample(venues, runs(3, 3))) {
          const textOf = (venue: ReadonlyArray<Placed>, field: Field) =>
            ["Here.", ...venue.flatMap((one) => (one.field === field ? [one.text] : []))].join(" ")
          yield* CatalogueFile.use((file) =>
            file.importFile(
              catalogueJson(
                world.map((venue, n) =>
                  playroomJson(n + 1, {
                    name: `Hall ${n}`,
                    ...Object.fromEntries(fields.map((field) => [field, textOf(venue, field)]))
                  })
                )
              )
            )
          )
          const isMet = (venue: ReadonlyArray<Placed>, need: NeedName) =>
            venue.some((one) => one.need === need && one.isMet === true) &&
            !venue.some((one) => one.need === need && one.isMet === false)
          const has = (venue: ReadonlyArray<Placed>, { need, word }: (typeof askable)[number]) =>
            need === undefined ? venue.some((one) => one.word === word) : isMet(venue, need)
          for (const asked of fc.sample(
            fc.uniqueArray(fc.constantFrom(...askable), { minLength: 1, maxLength: 5 }),
            runs(25)
          )) {
            const query = asked.map(({ typed }) => typed).join(" ")
            const { playrooms } = yield* search({ query, limit: 50 })
            const needs = asked.filter(({ need }) => need !== undefined)
            const found = playrooms.map(({ name }) => Number(name.slice(5)))
            const numbered = world.map((venue, n) => ({ venue, n }))
            const which = (fits: (venue: ReadonlyArray<Placed>) => boolean) =>
              numbered.flatMap(({ n, venue }) => (fits(venue) ? [n] : []))
            const full = which((venue) => asked.every((one) => has(venue, one)))
            const some = which((venue) => asked.some((one) => has(venue, one)))
            const expected = full.length > 0 ? full : some.length > 0 ? some : needs.length > 0 ? which(() => true) : []
            assert.sameMembers(found, expected, query)
            const meeting = found.map((n) => needs.every((one) => has(world[n] ?? [], one)))
            assert.deepStrictEqual(
              meeting,
              meeting.toSorted((a, b) => Number(b) - Number(a)),
              `${query}: needs first`
            )
            fullCount += full.length
            for (const [i, { matched = [], unmatched = [] }] of playrooms.entries()) {
              const venue = world[found[i] ?? -1] ?? []
              const told = [...matched, ...unmatched].map((one) => read(one).word)
              assert.sameMembers(
                told,
                asked.map((one) => one.told),
                query
              )
              for (const one of asked) {
                const at = `${query} at ${JSON.stringify(venue)}`
                const where = (among: ReadonlyArray<string>) =>
                  among.map(read).find(({ word }) => word === one.told)?.where
                const placesOf = (met: boolean) =>
                  venue.flatMap((its) =>
                    (one.need === undefined ? its.word === one.word && met : its.need === one.need && its.isMet === met)
                      ? [its.field]
                      : []
                  )
                const [match, denial] = [where(matched), where(unmatched)]
                assert.strictEqual(match !== undefined, has(venue, one), at)
                for (const field of match ?? []) assert.include(placesOf(true), field, at)
                if (denial === undefined) {
                  matchedCount++
                  continue
                }
                const denied = placesOf(false)
                if (denied.length > 0) deniedCount++
                for (const field of denial) assert.include(denied.length > 0 ? denied : [""], field, at)
              }
            }
          }
        }
        assert.isTrue(
          matchedCount > 50 && deniedCount > 5 && fullCount > 5,
          `${matchedCount} ${deniedCount} ${fullCount}`
        )
      }),
    120_000
  )

  it.effect("are searched in rows of a node of the release before, once this one has looked at them", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const rules = { house_rules: "Nothing with nuts. Bring a gyroscope." }
      yield* CatalogueFile.use((file) =>
        file.importFile(catalogueJson([playroomJson(90, { name: "Old Row", city: "Ely", ...rules })]))
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from search_word where word = 'gyroscope'`
      yield* sql`update playroom set needs = null, offer_texts = null where name = 'Old Row'`
      const ask = (query: SearchQuery) => namesOf({ city: "Ely", ...query })
      assert.deepStrictEqual(yield* ask({ amenities: ["nut free"] }), [])
      // What it says is told all the same.
      const before = yield* search({ query: "nut-free", city: "Ely" })
      assert.deepStrictEqual(before.playrooms[0]?.matched, ["nut free: house_rules"])
      assert.isAtLeast(yield* refreshSearchFacts, 1)
      assert.deepStrictEqual(yield* ask({ amenities: ["nut free"] }), ["Old Row"])
      assert.deepStrictEqual(yield* ask({ query: "gyroscop" }), ["Old Row"])
      assert.strictEqual(yield* refreshSearchFacts, 0)
    })
  )

  it.effect(
    "are read as known ones if they are among the first misspelt ones; the others are looked for as they are",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        yield* importRooms(playroomJson(90, { name: "Quokka Wombat Numbat Possum Dingos Galah Brolga", city: "Nowra" }))
        const [found] = (yield* search({ query: "Quokkka Wommbat Nummbat Poossum Dinngos Broolga" })).playrooms
        const read = (word: string, as: string) => `${word} (read as ${as}): name`
        assert.deepStrictEqual(found?.matched, [
          read("quokkka", "quokka"),
          read("wommbat", "wombat"),
          read("nummbat", "numbat"),
          read("poossum", "possum")
        ])
        assert.deepStrictEqual(found?.unmatched, ["dinngos", "broolga"])
      })
  )

  it.effect("follow what is on sale: a package that is renamed or taken off sale, a quiet session among packages", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sells = (...offers: ReadonlyArray<readonly [name: string, description: string]>) =>
        CatalogueFile.use((file) =>
          file.importFile(
            catalogueJson([
              playroomJson(91, {
                name: "Shop",
                city: "Truro",
                packages: offers.map(([name, description], n) =>
                  packageJson(9100 + n, { ...(n === 0 ? {} : { mode: "exclusive" }), name, description })
                )
              })
            ])
          )
        )
      const ask = (query: string) => namesOf({ city: "Truro", query })
      yield* sells(["Baby disco", "Dancing, Straßenmusik."], ["Nut-free tea", "No nuts on the table."])
      for (const query of ["baby disco", "Strassenmusik", "disko", "tea"])
        assert.deepStrictEqual(yield* ask(query), ["Shop"], query)
      assert.deepStrictEqual(yield* ask("quiet session disco"), ["Shop"])
      // A package promises nothing of the place.
      const nuts = yield* search({ city: "Truro", query: "nut-free" })
      assert.deepStrictEqual(nuts.playrooms[0]?.unmatched, ["nut free"])
      yield* sells(["Baby concert", "A quiet session."])
      for (const query of ["disco", "tea"]) assert.deepStrictEqual(yield* ask(query), [], query)
      const quiet = yield* search({ city: "Truro", query: "concert, sensory session" })
      assert.deepStrictEqual(quiet.playrooms[0]?.matched, ["sensory session: packages", "concert: packages"])
      assert.deepStrictEqual(yield* namesOf({ city: "Truro", amenities: ["quiet hour"] }), ["Shop"])
    })
  )

  it.effect("are bounded, whatever the query", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const queries = [
        "a ",
        "nuts ",
        "not nut free ",
        "卵",
        "ナッツ",
        "baby changing ",
        "'|&! ",
        "wheelchair quiet lift ",
        "é"
      ]
      for (const part of queries) {
        const { playrooms } = yield* search({ query: part.repeat(200).slice(0, 200) })
        assert.isAtMost(playrooms.length, 10)
        for (const { matched = [], unmatched = [] } of playrooms) assert.isAtMost(matched.length + unmatched.length, 30)
      }
    })
  )
})
