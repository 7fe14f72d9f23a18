/**
 * Wishes as parents say them, in five languages, in the demo: the same wish finds the same, and nothing is passed over.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setClock } from "../../support/BookingWorld.ts"
import { importRoomsBesideDemo, packageJson, playroomJson } from "../../support/catalogues.ts"
import { demoWorld, namesOf, oneOf, search } from "../../support/searchWorld.ts"

/** Each line is one wish. */
const wishes = [
  ["party", "Party", "fête", "fiesta", "パーティー"],
  ["birthday party", "Kindergeburtstag", "fête d'anniversaire", "cumple", "誕生日パーティー"],
  ["circus", "Zirkus", "cirque", "circo", "サーカス"],
  ["toddler group", "Krabbelgruppe", "groupe de jeu", "grupo de bebés", "親子サークル"],
  ["somewhere for babies", "Ort für Babys", "endroit pour bébés", "sitio para bebés", "赤ちゃんと遊べる場所"],
  ["face painting", "Kinderschminken", "maquillage", "pintacaras", "フェイスペイント"],
  ["bouncy castle", "Hüpfburg", "château gonflable", "castillo hinchable", "ふわふわ"],
  ["treasure hunt", "Schatzsuche", "chasse au trésor", "búsqueda del tesoro", "宝探し"],
  ["puppet show", "Puppentheater", "spectacle de marionnettes", "teatro de títeres", "人形劇"],
  ["arts and crafts", "Basteln", "activités manuelles", "manualidades", "工作"],
  ["pirate party", "Piratenparty", "fête de pirates", "fiesta pirata", "海賊パーティー"],
  ["planetarium", "Planetarium", "planétarium", "planetario", "プラネタリウム"],
  ["dressing up", "Verkleiden", "déguisements", "disfraces", "ごっこ遊び"],
  ["changing rooms", "Umkleide", "vestiaires", "vestuarios", "更衣室"],
  ["swings", "Schaukel", "balançoires", "columpios", "ブランコ"],
  ["christening", "Taufe", "baptême", "bautizo", "洗礼式"],
  ["mums' meet-up", "Müttertreffen", "réunion de mamans", "quedada de mamás", "ママ会"],
  ["near the station", "in Bahnhofsnähe", "près de la gare", "cerca de la estación", "駅近"],
  ["party with cake", "Feier mit Kuchen", "fête avec gâteau", "fiesta con tarta", "ケーキ付きパーティー"]
]
/** What no playroom of the demo has. */
const nowhere = [
  ["laser tag", "Lasertag", "laser game", "láser tag", "レーザータグ"],
  ["day care", "Kinderbetreuung", "halte-garderie", "guardería", "託児"],
  ["childcare", "babysitter", "garderie", "garde d'enfants", "一時預かり"],
  // Of each, a part is said somewhere: a ball pool, a buggy park, the games of a party, a baby changing.
  ["swimming pool", "Schwimmbad", "piscine", "piscina", "プール"],
  ["water park", "Wasserpark", "parc aquatique", "parque acuático", "ウォーターパーク"],
  ["board games", "Brettspiele", "jeux de société", "juegos de mesa", "ボードゲーム"],
  ["sand pit", "Sandkasten", "bac à sable", "arenero", "砂場"],
  ["baby shower", "fête prénatale", "ベビーシャワー"],
  // Words that are spelt right, and near others: hall, gate, ramp, glass, place, "calme".
  ["halal", "late", "camp", "class", "glace", "calle"]
]
/** That parents leave their child there. */
const dropOff = [
  ["drop off", "drop-off", "dropping off", "drop the kids off", "leave my child", "without parents"],
  ["Kinder abgeben", "Kinder alleine lassen", "ohne Eltern", "bringen und abholen"],
  ["déposer les enfants", "laisser mon enfant", "sans parents", "sans les parents"],
  ["dejar a los niños", "dejar a mi hijo", "sin padres", "sin los padres"],
  ["子どもを預ける", "預けられる", "親なし", "子どもだけ"]
]
const everything = [
  "rainy day",
  "something to do on a rainy day",
  "indoor fun on a wet day",
  "things to do with kids",
  "Regentag",
  "was machen bei Regen",
  "Wohin mit Kindern bei schlechtem Wetter",
  "Ausflug mit der Familie",
  "jour de pluie",
  "que faire quand il pleut",
  "activité intérieure par mauvais temps",
  "sortie en famille",
  "día de lluvia",
  "qué hacer cuando llueve",
  "plan con niños para un día lluvioso",
  "planes en familia",
  "雨の日",
  "雨の日に遊べる場所",
  "梅雨でも遊べるスポット",
  "家族でお出かけ"
]
const atHome = [
  ["birthday at home", "at home"],
  ["Kindergeburtstag zu Hause", "zu Hause"],
  ["fête d'anniversaire à la maison", "à la maison"],
  ["fiesta de cumpleaños en casa", "en casa"],
  ["自宅で誕生日", "自宅"]
] as const
const wholeRoom = [
  ["private hire for a birthday", "private hire"],
  ["birthday with the whole place to ourselves", "the whole place"],
  ["Raum mieten für Geburtstag", "mieten"],
  ["privatiser un lieu pour un anniversaire", "privatiser"],
  ["location de salle pour anniversaire", "location"],
  ["alquilar local para cumpleaños", "alquilar"],
  ["貸切で誕生日会", "貸切"]
] as const

layer(demoWorld)("a wish in words", (it) => {
  it.effect(
    "finds the same in five languages, with nothing unmatched",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        for (const same of wishes) {
          let found: ReadonlyArray<string> | undefined
          for (const query of same) {
            const { playrooms, query_hint } = yield* search({ query, limit: 50 })
            found ??= playrooms.map(({ name }) => name)
            assert.deepStrictEqual([playrooms.map(({ name }) => name), query_hint], [found, undefined], query)
            for (const { unmatched } of playrooms) assert.isUndefined(unmatched, query)
          }
          assert.isNotEmpty(found, same[0])
        }
      }),
    120_000
  )

  it.effect("that no playroom has finds none in five languages, and the answer names it", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      for (const query of nowhere.flat()) {
        const { playrooms, query_hint = "" } = yield* search({ query, limit: 50 })
        assert.isEmpty(playrooms, query)
        const [, said = ""] = /^No playroom has "([^"]+)"\.$/.exec(query_hint) ?? []
        assert.strictEqual(said.replaceAll(/\W/gu, ""), query.replaceAll(/\W/gu, ""))
      }
    })
  )

  it.effect("to leave a child is not met by a drop-in, where a child plays with its parents, nor the other way", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      for (const query of dropOff.flat()) {
        const { playrooms, query_hint = "" } = yield* search({ query })
        for (const { matched, name, unmatched = [] } of playrooms) {
          assert.isUndefined(matched, `${query}: ${name}`)
          assert.lengthOf(unmatched, 1)
          if (["Sunny Side Clapham", "Entdeckerhaus Prenzlauer Berg"].includes(name))
            assert.match(unmatched[0] ?? "", /: house_rules says the opposite$/)
        }
        assert.include(query_hint, "so none is known to fit: tell the person", query)
      }
      for (const query of ["fête sans les parents", "fiesta sin padres", "Geburtstag ohne Eltern"]) {
        const { unmatched = [] } = yield* oneOf({ query }, "Golden Gate Play Mission")
        assert.lengthOf(unmatched, 1, query)
      }
      const open = yield* namesOf({ query: "open play" })
      const hour = (n: number) => ({ city: "Truro", packages: [packageJson(n, { name: "Friday hour" })] })
      yield* importRoomsBesideDemo(
        playroomJson(79, { ...hour(79), name: "Left", description: "Parents may leave: drop-off parties on Fridays." }),
        playroomJson(80, { ...hour(80), name: "Bays", description: "A drop-off bay by the door. Please walk slowly." })
      )
      for (const query of dropOff.flat()) {
        const [first, ...others] = (yield* search({ query, limit: 50 })).playrooms
        assert.deepStrictEqual([first?.name, first?.unmatched], ["Left", undefined], query)
        assert.isEmpty(others, query)
      }
      for (const query of ["drop in", "drop-in", "open play", "walk-in"])
        assert.deepStrictEqual(yield* namesOf({ query }), open, query)
      yield* importRoomsBesideDemo(playroomJson(79, { listed: false }), playroomJson(80, { listed: false }))
    })
  )

  it.effect("for a rainy day is for any playroom: each is indoors", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const all = yield* namesOf({})
      for (const query of everything) {
        const page = yield* search({ query, limit: 50 })
        assert.deepStrictEqual([page.playrooms.map(({ name }) => name), page.query_hint], [all, undefined], query)
      }
      assert.deepStrictEqual(yield* namesOf({ query: "Regentag in Berlin" }), yield* namesOf({ query: "Berlin" }))
    })
  )

  it.effect("to be at home, or in a whole room, finds playrooms by the rest of it; the answer says so", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const birthdays = yield* namesOf({ query: "birthday" })
      for (const [query, said] of atHome) {
        assert.deepStrictEqual(yield* namesOf({ query }), birthdays, query)
        const { query_hint } = yield* search({ query })
        assert.strictEqual(query_hint, `Not looked for: "${said}". Families come to playrooms; none comes to a family.`)
      }
      for (const [query, said] of wholeRoom) {
        assert.deepStrictEqual(yield* namesOf({ query }), birthdays, query)
        const { query_hint = "" } = yield* search({ query })
        assert.match(query_hint, /^Not looked for in words: .*a whole room \(mode\) have arguments of their own\.$/)
        assert.include(query_hint, `"${said}"`)
      }
    })
  )

  it.effect("finds a text without spaces between words by its names in any language", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importRoomsBesideDemo(
        playroomJson(78, {
          name: "Himawari",
          summary: "貸切の誕生日会、宝探し、ボールプール。",
          description: "庭があります。"
        })
      )
      for (const query of ["birthday", "誕生日会", "Schatzsuche", "宝探し", "ball pit", "ボールプール"])
        assert.include(yield* namesOf({ query }), "Himawari", query)
      for (const query of ["circus", "サーカス", "trampoline", "工作"])
        assert.notInclude(yield* namesOf({ query }), "Himawari", query)
      yield* importRoomsBesideDemo(playroomJson(78, { listed: false }))
    })
  )
})
