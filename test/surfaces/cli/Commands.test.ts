import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys } from "../../../src/platform/access/ApiKeys.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { addDays, dayMs, localDateOf } from "../../../src/platform/time/LocalTime.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import { createBooking } from "../../support/PaymentWorld.ts"
import { packages, venue } from "../../support/paymentVenues.ts"

layer(commandWorld)("the command line", (it) => {
  it.effect("serves without a command", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* playroom()).out, "serving")
      assert.strictEqual((yield* playroom("serve")).out, "serving")
    })
  )

  it.effect("shows help, and what is wrong with a command that it does not know", () =>
    Effect.gen(function* () {
      const help = yield* playroom("--help")
      for (const command of [
        "serve",
        "key",
        "operator",
        "provider",
        "booking",
        "webhook",
        "catalogue",
        "registry",
        "doctor"
      ])
        assert.include(help.out, command)
      for (const [args, says] of [
        [["bookings"], 'Unknown subcommand "bookings"'],
        [["key", "create"], "Missing required argument: label"],
        [["key", "create", ""], '"". Expected a label'],
        [["key", "list", "--jsn"], "--jsn"]
      ] as const) {
        const { complaints, failure, out } = yield* playroom(...args)
        assert.isDefined(failure)
        assert.include(complaints, says)
        assert.include(complaints, "--help")
        assert.strictEqual(out, "")
      }
    })
  )

  it.effect("X29: has switches that take no word that follows them", () =>
    Effect.gen(function* () {
      const { complaints, failure } = yield* playroom("key", "list", "--json", "yes")
      assert.isDefined(failure)
      assert.include(complaints, "yes")
    })
  )

  it.effect("issues a key, shows its secret once, and revokes it", () =>
    Effect.gen(function* () {
      const created = parsed((yield* playroom("key", "create", "Concierge", "--json")).out)
      const secret = String(member(created, "secret"))
      const key_id = String(member(created, "key_id"))
      const keys = yield* ApiKeys
      const principal = yield* keys.authenticate(secret)
      assert.strictEqual(principal.key_id, key_id)
      assert.isFalse(principal.scopes.has("admin"))
      const listed = yield* playroom("key", "list")
      assert.include(listed.out, key_id)
      assert.include(listed.out, "Concierge")
      assert.notInclude(listed.out, secret)
      assert.notInclude((yield* playroom("key", "list", "--json")).out, secret)
      assert.isUndefined((yield* playroom("key", "revoke", key_id)).failure)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(keys.authenticate(secret))))
    })
  )

  it.effect("refuses scopes, operators and keys that there are not, with a message and no stack", () =>
    Effect.gen(function* () {
      for (const [args, says] of [
        [["key", "create", "x", "--scopes", "everything"], "--scopes"],
        [["key", "create", "x", "--operator", "operator_nobody"], "There is no operator operator_nobody"],
        [["key", "create", "x", "--expires", "2001-01-31"], "must be in the future"],
        [["key", "revoke", "key_nobody"], "key_nobody"],
        [["operator", "suspend", "operator_nobody"], "There is no operator operator_nobody"],
        [["booking", "show", "K7M2-9QXD"], "no booking K7M2-9QXD"],
        [["webhook", "show", "evt_nothing"], "no event evt_nothing"]
      ] as const) {
        const { failure = "" } = yield* playroom(...args)
        assert.include(failure, says)
        assert.notMatch(failure, /\n\s+at /)
      }
    })
  )

  it.effect("shows when a key ends, and that it has ended", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const soon = addDays(localDateOf("UTC", now), 1)
      const created = yield* playroom("key", "create", "Visitor", "--expires", soon)
      assert.include(created.out, `${soon} 00:00:00Z`)
      const line = Effect.map(playroom("key", "list"), ({ out }) =>
        out.split("\n").find((it) => it.includes("Visitor"))
      )
      assert.include(yield* line, `until ${soon}`)
      yield* TestClock.setTime(now + 2 * dayMs)
      assert.include(yield* line, `expired ${soon}`)
      yield* TestClock.setTime(now)
    })
  )

  it.effect("suspends and resumes an operator", () =>
    Effect.gen(function* () {
      const operators = parsed((yield* playroom("operator", "list", "--json")).out)
      const id = String(member(Array.isArray(operators) ? operators[0] : undefined, "operator_id"))
      assert.isUndefined((yield* playroom("operator", "suspend", id)).failure)
      assert.property(parsed((yield* playroom("operator", "suspend", id, "--json")).out), "suspended_at")
      assert.isUndefined((yield* playroom("operator", "resume", id)).failure)
      assert.include((yield* playroom("operator", "list")).out, id)
    })
  )

  it.effect("lists the bookings to come, soonest first, and those that are asked for", () =>
    Effect.gen(function* () {
      const [later, sooner] = [
        yield* createBooking(packages.trustedParty, { date: "2027-05-02" }),
        yield* createBooking(packages.party, { date: "2027-05-01" })
      ]
      const listed = (...args: ReadonlyArray<string>) =>
        Effect.map(playroom("booking", "list", "--from", "2027-05-01", ...args), ({ out }) => out)
      const both = yield* listed()
      assert.isBelow(both.indexOf(sooner.reference), both.indexOf(later.reference))
      assert.include(both, "2027-05-01 10:00")
      for (const [args, finds] of [
        [
          ["--limit", "1"],
          [true, false]
        ],
        [
          ["--status", "confirmed"],
          [false, true]
        ],
        [
          ["--status", "cancelled"],
          [false, false]
        ],
        [
          ["--email", sooner.contact_email.toUpperCase()],
          [true, false]
        ],
        [
          ["--email", "nobody@example.com"],
          [false, false]
        ],
        [
          ["--playroom", venue.playroom.playroom_id],
          [true, true]
        ],
        [
          ["--operator", "operator_nobody"],
          [false, false]
        ],
        [
          ["--from", "2027-05-02"],
          [false, true]
        ]
      ] as const) {
        const out = args[0] === "--from" ? (yield* playroom("booking", "list", ...args)).out : yield* listed(...args)
        assert.deepStrictEqual(
          [sooner, later].map(({ reference }) => out.includes(reference)),
          [...finds],
          args.join(" ")
        )
      }
      yield* playroom("booking", "cancel", sooner.reference)
      yield* playroom("booking", "cancel", later.reference)
      assert.notInclude(yield* listed(), later.reference)
    })
  )

  it.effect("previews a cancellation without changing anything, then cancels, once", () =>
    Effect.gen(function* () {
      const booking = yield* createBooking(packages.trustedParty, {
        date: addDays(localDateOf("UTC", yield* Clock.currentTimeMillis), 30)
      })
      const preview = yield* playroom("booking", "cancel", booking.reference, "--preview", "--json")
      assert.strictEqual(member(parsed(preview.out), "refund_percent"), 100)
      assert.strictEqual(member(member(parsed(preview.out), "refund"), "amount"), 0)
      const words = yield* playroom("booking", "cancel", booking.reference, "--preview")
      assert.include(words.out, "Its terms: If cancelled once all £200.00 is paid: until 20")
      const before = (yield* playroom("booking", "show", booking.reference)).out
      for (const text of ["confirmed", "PRICE", "£200.00", "If cancelled once all £200.00 is paid: until 20"])
        assert.include(before, text)
      const done = yield* playroom("booking", "cancel", booking.booking_id, "--reason", "the roof leaks")
      assert.include(done.out, "What comes back: £0.00\n")
      const shown = (yield* playroom("booking", "show", booking.reference)).out
      assert.include(shown, "cancelled")
      assert.include((yield* playroom("booking", "cancel", booking.booking_id)).failure ?? "", "cancelled already")
    })
  )

  it.effect("writes a catalogue file to start from, which can be imported as it is, and overwrites none", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-cli-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const file = join(folder, "venue.yaml")
      assert.include((yield* playroom("catalogue", "new", file)).out, `Wrote ${file}, and beside it`)
      const written = readFileSync(file, "utf8")
      assert.match(written, /^# yaml-language-server: \$schema=.\/catalogue.schema.json\n/)
      const schema = readFileSync(join(folder, "catalogue.schema.json"), "utf8")
      assert.deepStrictEqual(JSON.parse(schema), parsed((yield* playroom("catalogue", "schema")).out))
      assert.include((yield* playroom("catalogue", "check", file)).out, "operators 1, playrooms 1")
      const imported = (yield* playroom("catalogue", "import", file)).out
      assert.match(imported, /my-business +operator_/)
      assert.match(imported, /main-hall \/ birthday-party +package_/)
      const again = parsed((yield* playroom("catalogue", "import", file, "--json")).out)
      assert.deepStrictEqual(member(again, "changes"), [])

      writeFileSync(file, written.replace("slug: cake,", "slug: cake, prize: 1,"))
      assert.include(
        (yield* playroom("catalogue", "import", file)).failure ?? "",
        'playrooms[0].add_ons[1].prize: There is no field "prize" here\n    - { slug: cake, prize: 1,'
      )
      assert.include((yield* playroom("catalogue", "new", file)).failure ?? "", "is there already; nothing was written")
      assert.include(readFileSync(file, "utf8"), "prize")
      assert.include(
        (yield* playroom("catalogue", "new", join(folder, "no", "a.yaml"))).failure ?? "",
        "can't be written"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("checks, imports and exports a catalogue; the export is importable and changes nothing", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-cli-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const file = join(folder, "catalogue.json")
      writeFileSync(file, JSON.stringify(demo))
      assert.include((yield* playroom("catalogue", "check", file)).out, "valid")
      const imported = parsed((yield* playroom("catalogue", "import", file, "--json")).out)
      assert.strictEqual(member(member(imported, "operators"), "added"), demo.operators.length)
      const exported = yield* playroom("catalogue", "export")
      writeFileSync(file, exported.out)
      const again = parsed((yield* playroom("catalogue", "import", file, "--json")).out)
      assert.strictEqual(member(member(again, "playrooms"), "added"), 0)
      assert.strictEqual(member(member(again, "playrooms"), "changed"), 0)

      writeFileSync(file, "{")
      assert.include((yield* playroom("catalogue", "check", file)).failure ?? "", "not JSON")
      writeFileSync(file, '{\n  "version": 1,\n  "operators": [],,\n  "playrooms": []\n}')
      for (const command of ["check", "import"]) {
        const failure = (yield* playroom("catalogue", command, file)).failure ?? ""
        assert.include(failure, `${file} is not JSON: line 3, column 19: there should be a name in double quotes`)
        assert.include(failure, '"operators": [],,')
      }
      // As some editors save it.
      writeFileSync(file, `\uFEFF${JSON.stringify(demo)}`)
      assert.include((yield* playroom("catalogue", "check", file)).out, "valid")
      writeFileSync(file, JSON.stringify({ version: 1, operators: [{}], playrooms: [] }))
      for (const command of ["check", "import"]) {
        const failure = (yield* playroom("catalogue", command, file)).failure ?? ""
        assert.include(failure, "not valid; nothing was changed")
        assert.include(failure, "operators[0]")
      }
      assert.include(
        (yield* playroom("catalogue", "check", join(folder, "nothing.json"))).failure ?? "",
        "There is no file"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("reads every file by the same rules: UTF-8, no directory, and no more than its size", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-cli-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const file = join(folder, "file")
      const commands = [
        ["check", file],
        ["import", file],
        ["import", file, "--dry-run"],
        ...["--operators", "--playrooms", "--packages", "--add-ons", "--closures"].map((flag) => {
          const others = ["--playrooms", "--packages"].filter((it) => it !== flag)
          return ["from-csv", flag, file, ...others.flatMap((it) => [it, file])]
        })
      ]
      const told = (why: string) =>
        Effect.forEach(commands, (args) =>
          Effect.map(playroom("catalogue", ...args), ({ failure = "" }) =>
            assert.include(failure, `${file} ${why}`, args.join(" "))
          )
        )
      writeFileSync(file, Buffer.from("version: 1\nname: Café\n", "latin1"))
      yield* told("is not UTF-8: save it as UTF-8")
      writeFileSync(file, Buffer.from("version: 1\nname: Café\n", "utf16le"))
      yield* told("is not UTF-8: save it as UTF-8")
      writeFileSync(file, "version: 1\nname: \0\n")
      yield* told("is no text in UTF-8: save it as UTF-8")
      truncateSync(file, 300_000_000)
      yield* told("is too large: a file may have")
      rmSync(file)
      mkdirSync(file)
      yield* told("is a directory")
    }).pipe(Effect.scoped)
  )

  it.effect("says what an import would change, and removes the demo and brings it back", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-cli-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      yield* playroom("catalogue", "demo")
      const file = join(folder, "catalogue.json")
      const [room, ...others] = demo.playrooms
      writeFileSync(file, JSON.stringify({ ...demo, playrooms: [{ ...room, capacity: 24 + 2 }, ...others] }))
      const planned = yield* playroom("catalogue", "import", file, "--dry-run")
      assert.include(planned.out, "changed  playroom  Sunny Side Clapham  capacity: 25 → 26")
      assert.include(planned.out, "It was a dry run: nothing was written.")
      assert.strictEqual((yield* playroom("catalogue", "import", file, "--dry-run")).out, planned.out)
      const removed = yield* playroom("catalogue", "demo", "--remove")
      assert.include(removed.out, `The demo (${demo.playrooms.length} playrooms) was removed.`)
      assert.include((yield* playroom("catalogue", "demo", "--remove")).out, "The demo is not there.")
      const back = parsed((yield* playroom("catalogue", "demo", "--json")).out)
      assert.strictEqual(member(member(back, "playrooms"), "added"), demo.playrooms.length)
    }).pipe(Effect.scoped)
  )

  it.effect("prints the link to a family's page, by id and by reference, the same each time until it is renewed", () =>
    Effect.gen(function* () {
      const { booking_id, reference } = yield* createBooking()
      const link = (...args: ReadonlyArray<string>) =>
        Effect.map(playroom("booking", "link", "--json", ...args), ({ out }) => String(member(parsed(out), "page_url")))
      const first = yield* link(booking_id)
      assert.match(first, /^http:\/\/localhost:3000\/b\/[\w-]{48}$/)
      assert.strictEqual(yield* link(reference), first)
      const renewed = yield* playroom("booking", "link", reference, "--renew", "--by", "Ann")
      assert.include(renewed.out, "that were given out before open nothing any more")
      assert.notInclude(renewed.out, first)
      assert.include(renewed.out, yield* link(booking_id))
      assert.match((yield* playroom("booking", "show", reference)).out, /link_renewed.*Ann/)
      for (const more of [[], ["--renew"]])
        assert.include((yield* playroom("booking", "link", "K7M2-9QXD", ...more)).failure, "There is no booking")
    })
  )

  it.effect("prints the link to an operator's days, the same each time until it is renewed", () =>
    Effect.gen(function* () {
      const { operator_id } = venue.operator
      const link = (...more: ReadonlyArray<string>) =>
        Effect.map(playroom("operator", "link", operator_id, "--json", ...more), ({ out }) =>
          String(member(parsed(out), "page_url"))
        )
      const first = yield* link()
      assert.match(first, /^http:\/\/localhost:3000\/o\/[\w-]{48}$/)
      assert.strictEqual(yield* link(), first)
      const { out } = yield* playroom("operator", "link", operator_id)
      assert.include(out, `${first}\n`)
      assert.include(out, `${first}.ics`)
      const renewed = yield* link("--renew")
      assert.notStrictEqual(renewed, first)
      assert.strictEqual(yield* link(), renewed)
      assert.include((yield* playroom("operator", "link", "operator_nobody")).failure, "There is no operator")
      assert.include(
        (yield* playroom("operator", "link", "operator_nobody", "--renew")).failure,
        "There is no operator"
      )
    })
  )
})
