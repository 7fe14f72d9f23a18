import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { idOfSlug } from "../../../src/domain/catalogue/Slugs.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { commandWorld, playroom } from "../../support/CommandLine.ts"
import { bookAt, hall, sydney } from "../../support/operatorVenues.ts"
import { otherVenue } from "../../support/paymentVenues.ts"

const named = ({ add_ons, operator, packages, playroom }: Venue, its: string, slug: string) => ({
  operators: [{ ...operator, slug: its }],
  playrooms: [{ ...playroom, slug, packages, add_ons }]
})

/** Two operators, `bounce` and `other`, each with a playroom `hall`; `bounce` has another one, `harbour`. */
const scene = Effect.gen(function* () {
  const file = yield* CatalogueFile
  for (const part of [
    named(hall, "bounce", "hall"),
    named(sydney, "bounce", "harbour"),
    named(otherVenue, "other", "hall")
  ]) {
    yield* file.importFile({ version: 1, ...part })
  }
})

layer(commandWorld)("a slug", (it) => {
  it.effect("stands for an operator in every command, as its id does", () =>
    Effect.gen(function* () {
      yield* scene
      const { operator_id } = hall.operator
      for (const who of ["bounce", "BOUNCE", operator_id]) {
        assert.include((yield* playroom("operator", "suspend", who, "--reason", "Test")).out, "is suspended")
        assert.include((yield* playroom("operator", "show", who)).out, operator_id)
        assert.include((yield* playroom("operator", "resume", who)).out, "no longer suspended")
        assert.include((yield* playroom("operator", "link", who)).out, "/o/")
        const until = yield* playroom("operator", "paid-through", who, "2027-01-31", "--reason", "Invoice 7")
        assert.include(until.out, "is paid through 2027-01-31")
        assert.include((yield* playroom("key", "create", "Desk", "--operator", who)).out, operator_id)
      }
    })
  )

  it.effect("stands for a playroom in lists, with its operator's before it where several have it", () =>
    Effect.gen(function* () {
      yield* scene
      yield* bookAt(hall, "2026-12-05", "10:00", "trusted", { name: "Ana Hall" })
      yield* bookAt(sydney, "2026-12-05", "10:00", "trusted", { name: "Bo Harbour" })
      const list = (...more: ReadonlyArray<string>) => playroom("booking", "list", ...more)
      assert.include((yield* list("--playroom", "harbour")).out, "Bo Harbour")
      const { out } = yield* list("--playroom", "bounce/hall", "--operator", "bounce")
      assert.include(out, "Ana Hall")
      assert.notInclude(out, "Bo Harbour")
      assert.include((yield* list("--playroom", "other/hall")).out, "No such bookings")
      const { failure } = yield* list("--playroom", "hall")
      assert.include(failure, "Several playrooms have the slug hall.")
      assert.include(failure, `bounce/hall  ${hall.playroom.playroom_id}`)
      assert.include(failure, `other/hall  ${otherVenue.playroom.playroom_id}`)
    })
  )

  it.effect("stands for a package, with its playroom's and its operator's before it where several have it", () =>
    Effect.gen(function* () {
      const file = yield* CatalogueFile
      const slugged = (part: ReturnType<typeof named>) => ({
        version: 1,
        ...part,
        playrooms: part.playrooms.map((room) => ({
          ...room,
          packages: room.packages.map((pkg, i) => ({ ...pkg, slug: ["party", "play", "third"][i] ?? `p${i}` }))
        }))
      })
      const venues = [
        named(hall, "bounce", "hall"),
        named(sydney, "bounce", "harbour"),
        named(otherVenue, "other", "hall")
      ]
      for (const part of venues) yield* file.importFile(slugged(part))
      const wanted = hall.packages[0]?.package_id
      for (const text of ["bounce/hall/party", "BOUNCE/Hall/party"])
        assert.strictEqual(yield* idOfSlug("package", text), wanted)
      assert.strictEqual(yield* idOfSlug("package", "harbour/party"), sydney.packages[0]?.package_id)
      const refused = yield* Effect.flip(idOfSlug("package", "hall/party"))
      assert.include(refused.message, "Several packages have the slug hall/party.")
      assert.include(refused.message, `bounce/hall/party  ${String(wanted)}`)
      assert.include((yield* Effect.flip(idOfSlug("package", "harbour/partie"))).message, "bounce/harbour/party")
      // No part of a slug is one, and no pattern.
      for (const odd of ["arty", "bour/party", "%/party", "/party"])
        assert.include((yield* Effect.flip(idOfSlug("package", odd))).message, "There is no package")
      const book = ["booking", "make", "bounce/hall/parti", "--at", "2026-12-05T10:00", "--children", "8"]
      assert.include((yield* playroom(...book)).failure ?? "", "bounce/hall/party")
    })
  )

  it.effect("that nothing has is refused with the nearest ones, however long or odd it is", () =>
    Effect.gen(function* () {
      yield* scene
      const { failure } = yield* playroom("operator", "suspend", "bounec", "--reason", "Test")
      assert.match(failure ?? "", /There is no operator with the slug bounec\. The nearest:\n {2}bounce {2}operator_/)
      assert.match(
        (yield* playroom("booking", "list", "--playroom", "harbor")).failure ?? "",
        /The nearest:\n {2}bounce\/harbour/
      )
      for (const odd of ["", "%", "a'b", "x".repeat(20_000), "operator"]) {
        const refused = yield* Effect.flip(idOfSlug("operator", odd))
        assert.strictEqual(refused._tag, "SlugUnclear")
        assert.isBelow(refused.message.length, 1000)
      }
    })
  )
})
