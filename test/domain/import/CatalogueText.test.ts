import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import { maxYamlLength, readCatalogueText } from "../../../src/domain/import/CatalogueText.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { stringify } from "yaml"
import { catalogueJson, manyPlayrooms, playroomJson } from "../../support/catalogues.ts"

const contentOf = (text: string, name = "a.yaml") => Effect.map(readCatalogueText(name, text), ({ content }) => content)
const faultOf = (text: string, name = "a.yaml") =>
  Effect.map(Effect.flip(readCatalogueText(name, text)), ({ message }) => message)

describe("a catalogue file as YAML", () => {
  it.effect("has the content that it has as JSON", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* contentOf(stringify(demo)), demo)
      assert.deepStrictEqual(yield* contentOf(JSON.stringify(demo)), demo)
      assert.deepStrictEqual(yield* contentOf(JSON.stringify(demo), "a.json"), demo)
      assert.deepStrictEqual(yield* contentOf(` ${JSON.stringify(demo)}`, "catalogue"), demo)
      assert.deepStrictEqual(yield* contentOf(`version: 1\r\nplayrooms: []\r\n`, "catalogue"), {
        version: 1,
        playrooms: []
      })
    })
  )

  it.effect("has texts where other YAML has truth values, dates, and times as numbers", () =>
    Effect.gen(function* () {
      const text =
        "country: NO\nopens: 09:00\ncloses: 19:30\nfrom: 2026-12-25\nname: yes\nphone: 1_000\nlisted: true\nbase: 1200\n"
      const content = {
        country: "NO",
        opens: "09:00",
        closes: "19:30",
        from: "2026-12-25",
        name: "yes",
        phone: "1_000",
        listed: true,
        base: 1200
      }
      assert.deepStrictEqual(yield* contentOf(text), content)
      assert.deepStrictEqual(yield* contentOf(`%YAML 1.1\n---\n${text}`), content)
    })
  )

  it.effect("may repeat a part by an alias, at the length that a file may have", () =>
    Effect.gen(function* () {
      const hours = "- &hours {opens: 09:00, closes: 18:00}\n" + "- *hours\n".repeat(1000)
      assert.lengthOf(yield* Effect.map(contentOf(hours), (it) => (Array.isArray(it) ? it : [])), 1001)
      const bomb = [
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
        ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(", ")}]`)
      ].join("\n")
      assert.match(yield* faultOf(bomb), /is not YAML: line \d+, column \d+: this repeats so much by aliases/)
      assert.include(yield* faultOf("a: &a [*a]\n"), "line 1, column 8: &a is not defined before this")
    })
  )

  it.effect("has for an alias what its name stood for there, also where the name is given again", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* contentOf("a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y\n"), { a: 1, b: [1], c: 2, d: [1] })
      assert.deepStrictEqual(yield* contentOf("a: &y [&x 1]\nb: &x 2\nc: *y\nd: *x\n"), { a: [1], b: 2, c: [1], d: 2 })
      const named = "playrooms:\n  - &x {slug: 1}\n  - *x\n  - &x {listed: true,\n    slug: 2}\n"
      const { content, placed } = yield* readCatalogueText("a.yaml", named)
      const { issues } = yield* Effect.flip(Effect.mapError(parseCatalogue(content), placed))
      assert.deepStrictEqual(
        issues.flatMap(({ path, place }) => (path === "playrooms[1].slug" ? [place?.line] : [])),
        [2]
      )
    })
  )

  for (const [what, text, message] of [
    ["a tab as indentation", "a:\n\tb: 1\n", "line 2, column 1: a line is indented with spaces, not tabs"],
    ["a name twice", "a: 1\r\nb: 2\r\na: 3\r\n", "line 3, column 1: this name stands here twice.\n  a: 3"],
    ["several documents", "a: 1\n---\nb: 2\n", "line 2, column 1: there should be one document"],
    ["a tag", "a: !!binary aGk=\n", "line 1, column 13: tags like !!binary have no meaning here"],
    [
      "a merge key",
      "a: &a\n  x: 1\nb:\n  <<: *a\n  y: 2\n",
      "line 4, column 3: merge keys (<<) are not supported: write the fields out, or repeat a whole part by an alias"
    ],
    ["a tag of its own", "a:\n  - !secret x\n", "line 2, column 13: tags like !secret have no meaning here"],
    ["an alias of nothing", "a: *b\n", "line 1, column 4: &b is not defined before this"],
    ["a colon in a text", "name: Play: all day\n", 'line 1, column 7: one "name: value" is enough on a line'],
    ["a text that begins like something else", "name: @home\n", "needs quotes.\n  name: @home"],
    ["a quote without an end", "name: 'x\n", "line 2, column 1: missing closing 'quote"],
    ["a list as a name", "? [a]\n: 1\n", "line 1, column 3: a name should be a text"],
    ["names without end", `{${"a: ".repeat(100_000)}}`, "line 1, column 303: this is nested too deeply"],
    ["names without end on lines", `{${"a:\n".repeat(100_000)}}`, "line 101, column 2: this is nested too deeply"],
    ["nesting without end", `a: ${"[".repeat(5000)}`, "this is nested too deeply"]
  ] as const) {
    it.effect(`is refused by line and column where it has ${what}`, () =>
      Effect.gen(function* () {
        const found = yield* faultOf(text)
        assert.include(found, "is not YAML: line ")
        assert.include(found, message)
      })
    )
  }

  it.effect("is refused where it is larger than can be read in time; as JSON it may be larger", () =>
    Effect.gen(function* () {
      const large = `# ${"x".repeat(maxYamlLength)}\nversion: 1\n`
      assert.include(yield* faultOf(large), "is too large: a YAML file may have 8 MB")
      assert.isObject(yield* contentOf(JSON.stringify({ version: 1, x: "x".repeat(maxYamlLength) }), "a.json"))
    })
  )
})

describe("a catalogue file as JSON", () => {
  it.effect("is refused where a name stands twice in an object, which parsers pass over", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* faultOf('{\n  "version": 1,\n  "playrooms": [],\n  "playrooms": []\n}', "a.json"),
        'is not JSON: line 4, column 3: "playrooms" stands here twice.\n  "playrooms": []'
      )
      assert.include(yield* faultOf("version: 1\n", "a.json"), "is not JSON: line 1, column 1")
    })
  )

  it.effect("is refused where an amount has decimals, which readers would drop: 200.00 would be two pounds", () =>
    Effect.gen(function* () {
      for (const name of ["base", "extra_child", "adult", "amount", "unit_amount"]) {
        const fault = yield* faultOf(`{\n  "${name}": 200.00\n}`, "a.json")
        assert.include(fault, "line 2, column 3: an amount is a whole number of the smallest unit")
      }
      assert.deepStrictEqual(yield* contentOf('{"rate_percent": 20.0, "name": "\\"base\\": 2.00"}', "a.json"), {
        rate_percent: 20,
        name: '"base": 2.00'
      })
    })
  )
})

describe("a fault in a catalogue file", () => {
  const text = [
    "version: 1",
    "operators: []",
    "playrooms:",
    "  - slug: den # the small one",
    "    capacity: 0",
    "    tax:",
    "      rate_percent: many",
    "    packages:",
    "      - name: ''",
    "        schedule: {times: [9:00]}"
  ].join("\n")
  const placesOf = (written: string, name: string) =>
    Effect.gen(function* () {
      const { content, placed } = yield* readCatalogueText(name, written)
      const { issues } = placed(yield* Effect.flip(parseCatalogue(content)))
      return new Map(issues.map(({ path, place }) => [path, place]))
    })

  it.effect("is shown by its line, in YAML: a value at its own place, a missing one at the part that lacks it", () =>
    Effect.gen(function* () {
      const places = yield* placesOf(text, "a.yaml")
      assert.deepStrictEqual(places.get("playrooms[0].capacity"), { line: 5, column: 15, shown: "capacity: 0" })
      assert.deepInclude(places.get("playrooms[0].tax.rate_percent"), { line: 7, column: 21 })
      assert.deepInclude(places.get("playrooms[0].packages[0].name"), { line: 9, column: 15 })
      assert.deepInclude(places.get("playrooms[0].packages[0].schedule.times[0]"), { line: 10, column: 28 })
      assert.deepStrictEqual(places.get("playrooms[0].city"), {
        line: 4,
        column: 5,
        shown: "- slug: den # the small one"
      })
      assert.deepInclude(places.get("playrooms[0].packages[0].mode"), { line: 9, column: 9 })
    })
  )

  it.effect("is shown by its line, in JSON", () =>
    Effect.gen(function* () {
      const content = yield* contentOf(text)
      const json = JSON.stringify(content, null, 2)
      const places = yield* placesOf(json, "a.json")
      const lineOf = (part: string) => json.slice(0, json.indexOf(part)).split("\n").length
      assert.deepStrictEqual(places.get("playrooms[0].capacity"), {
        line: lineOf('"capacity"'),
        column: 19,
        shown: '"capacity": 0,'
      })
      assert.strictEqual(places.get("playrooms[0].tax.rate_percent")?.line, lineOf('"rate_percent"'))
      assert.strictEqual(places.get("playrooms[0].city")?.line, 5)
      const oneLine = yield* placesOf(JSON.stringify({ version: 1, operators: [{}], note: "x".repeat(200) }), "a.json")
      assert.strictEqual(oneLine.get("note")?.shown, "")
    })
  )

  // How the time for it grows, the bench `import` measures.
  it.effect("is shown by its line also where a map has very many, and the message names only some of them", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 2000 }, (_, i) => `nam${i}`)
      const yaml = names.map((name) => `${name}: 1`).join("\n")
      const json = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))
      for (const [file, written, last] of [
        ["a.yaml", yaml, { line: 2000, column: 10 }],
        ["a.json", json, { line: 1, column: json.lastIndexOf(":") + 2 }]
      ] as const) {
        const { content, placed } = yield* readCatalogueText(file, written)
        const { issues, message } = placed(yield* Effect.flip(parseCatalogue(content)))
        assert.isAtLeast(issues.length, names.length)
        assert.match(message, /… and \d+ more/)
        assert.deepInclude(issues.find(({ path }) => path === "nam1999")?.place, last)
      }
    })
  )
})

describe("reading a catalogue file", () => {
  it.effect("lets others have their turn while a large one is read", () =>
    Effect.gen(function* () {
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        ),
        { startImmediately: true }
      )
      const { playrooms } = yield* parseCatalogue(manyPlayrooms(500))
      yield* Fiber.interrupt(other)
      assert.strictEqual(playrooms.length, 500)
      // Read and checked, some playrooms at a time.
      assert.isAtLeast(turns, 10)
    })
  )

  it.effect("names as many faults as there are", () =>
    Effect.gen(function* () {
      const operators = Array.from({ length: 150_000 }, () => ({ slug: "same", name: "Same" }))
      const { issues, message } = yield* Effect.flip(parseCatalogue({ version: 1, operators, playrooms: [] }))
      assert.lengthOf(issues, 149_999)
      assert.include(message, "… and 149949 more.")
      assert.isBelow(message.length, 10_000)
      const { issues: empty } = yield* Effect.flip(parseCatalogue(null))
      assert.deepStrictEqual(empty, [
        { path: "file", message: "Expected a catalogue: `version`, `operators` and `playrooms`" }
      ])
    })
  )

  it.effect("names faults of its frame and of its playrooms at once, each by its place", () =>
    Effect.gen(function* () {
      const pathsOf = (json: unknown) =>
        Effect.map(Effect.flip(parseCatalogue(json)), ({ issues }) => issues.map(({ path }) => path))
      const { operators } = catalogueJson([])
      assert.deepStrictEqual(
        yield* pathsOf({
          version: 2,
          operators,
          playrooms: [playroomJson(1), { ...playroomJson(2), capacity: 0 }, 7],
          more: 1
        }),
        ["more", "version", "playrooms[1].capacity", "playrooms[2]"]
      )
      assert.deepStrictEqual(yield* pathsOf({ version: 1, operators }), ["playrooms"])
      assert.deepStrictEqual(yield* pathsOf({ version: 1, operators, playrooms: "none" }), ["playrooms"])
      assert.deepStrictEqual(yield* pathsOf([]), ["file"])
    })
  )
})
