import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Cause, Clock, Console, Context, Effect, Exit, Layer, Predicate } from "effect"
import { SecureRandom } from "effect/crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys } from "../../src/access/ApiKeys.ts"
import { AppConfig } from "../../src/AppConfig.ts"
import demo from "../../src/catalogue/demo.json" with { type: "json" }
import { CatalogueFile } from "../../src/catalogue/CatalogueFile.ts"
import { cli, type CommandServices } from "../../src/cli/Cli.ts"
import { describeCause } from "../../src/cli/Failure.ts"
import { addDays, localDateOf } from "../../src/kernel/LocalTime.ts"
import { Migrations } from "../../src/database/Migrations.ts"
import {
  book,
  deliver,
  doTasks,
  eventOf,
  open,
  packages,
  paymentWorld,
  providerId,
  standing
} from "../support/PaymentWorld.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { testSettings } from "../support/testSettings.ts"

/** Runs `playroom …` on the test's services: what it printed, and the message where it failed. */
const playroom = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  const take = (...parts: ReadonlyArray<unknown>) => {
    lines.push(parts.map(String).join(" "))
  }
  const services = yield* Effect.context<CommandServices>()
  const run = cli({
    serve: Effect.sync(() => take("serving")),
    services: Layer.succeedContext(Context.omit(Console.Console)(services))
  })
  const exit = yield* run(args).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(Console.Console, { ...globalThis.console, log: take, error: take }),
    Effect.exit
  )
  return {
    out: lines.join("\n"),
    failure: Exit.isFailure(exit) ? describeCause(exit.cause) : undefined,
    cause: Exit.isFailure(exit) ? exit.cause : Cause.empty
  }
})

const parsed = (text: string): unknown => JSON.parse(text)
const member = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const world = Layer.mergeAll(ApiKeys.layer, CatalogueFile.layer, Migrations.layer).pipe(
  Layer.provideMerge(paymentWorld()),
  Layer.provideMerge(
    Layer.mergeAll(SecureRandom.layerWebCrypto, NodeServices.layer, Layer.succeed(AppConfig, testSettings()))
  )
)

layer(world)("the command line", (it) => {
  it.effect("serves without a command", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* playroom()).out, "serving")
      assert.strictEqual((yield* playroom("serve")).out, "serving")
    })
  )

  it.effect("shows help, and what is wrong with a command that it does not know", () =>
    Effect.gen(function* () {
      const help = yield* playroom("--help")
      for (const command of ["serve", "key", "operator", "booking", "webhook", "catalogue", "doctor"])
        assert.include(help.out, command)
      assert.isDefined((yield* playroom("bookings")).failure)
      assert.isDefined((yield* playroom("key", "create")).failure)
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
        [["key", "create", "x", "--operator", "operator_nobody"], "operator not found"],
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

  it.effect("previews a cancellation without changing anything, then cancels, once", () =>
    Effect.gen(function* () {
      const booking = yield* book(packages.trustedParty, {
        date: addDays(localDateOf("UTC", yield* Clock.currentTimeMillis), 30)
      })
      const preview = yield* playroom("booking", "cancel", booking.reference, "--preview", "--json")
      assert.strictEqual(member(parsed(preview.out), "refund_percent"), 100)
      assert.strictEqual(member(member(parsed(preview.out), "refund"), "amount"), 0)
      assert.include((yield* playroom("booking", "show", booking.reference)).out, "confirmed")
      const done = yield* playroom("booking", "cancel", booking.booking_id, "--reason", "the roof leaks")
      assert.include(done.out, "nothing is refunded")
      const shown = (yield* playroom("booking", "show", booking.reference)).out
      assert.include(shown, "cancelled")
      assert.include((yield* playroom("booking", "cancel", booking.booking_id)).failure ?? "", "cancelled already")
    })
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
      writeFileSync(file, JSON.stringify({ version: 1, operators: [{}], playrooms: [] }))
      assert.include((yield* playroom("catalogue", "import", file)).failure ?? "", "operators[0]")
      assert.include(
        (yield* playroom("catalogue", "check", join(folder, "nothing.json"))).failure ?? "",
        "can't be read"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("says that all is well, and lists the provider's events", () =>
    Effect.gen(function* () {
      const all = yield* playroom("doctor")
      assert.isUndefined(all.failure)
      assert.include(all.out, "All is well")
      assert.deepStrictEqual(parsed((yield* playroom("doctor", "--json")).out), [])
      assert.isUndefined((yield* playroom("webhook", "list")).failure)
      assert.include((yield* playroom("doctor", "--revive", "refund_nothing")).failure ?? "", "refund_nothing")
    })
  )

  it.effect("lists a payment and an event that do not fit until a person has dealt with them", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const booking = yield* book(packages.party)
      const session = yield* open(booking)
      const said = { ...provider.act(providerId(session), "pay"), amount_total: 11_999 }
      const event = eventOf("checkout.session.completed", said)
      yield* deliver(event)
      const sick = yield* playroom("doctor")
      assert.include(sick.failure ?? "", "2 things need a person")
      for (const id of [event.id, session.payment_session_id]) {
        assert.include(sick.out, `playroom doctor --settle ${id}`)
        assert.include((yield* playroom("doctor", "--settle", id)).out, id)
        assert.include(
          (yield* playroom("doctor", "--settle", id)).failure ?? "",
          `names no event, payment or refund ${id}`
        )
      }
      assert.include((yield* playroom("doctor")).out, "All is well")
      assert.include((yield* playroom("webhook", "show", event.id)).out, "dealt with by a person")
    })
  )

  it.effect(
    "takes note of a refund that was paid back in another way, and shows a booking's payments and refunds",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const booking = yield* book(packages.party)
        const session = yield* open(booking)
        yield* deliver(eventOf("checkout.session.completed", provider.act(providerId(session), "pay")))
        provider.next("createRefund", "refused")
        yield* playroom("booking", "cancel", booking.reference)
        yield* doTasks
        const id = /refund_[0-9a-z]{26}/.exec((yield* playroom("doctor")).out)?.[0] ?? assert.fail("no refund failed")
        const shown = (yield* playroom("booking", "show", booking.reference)).out
        for (const text of [
          session.payment_session_id,
          "acct_1",
          `pi_${providerId(session)}`,
          id,
          "cancellation",
          "failed"
        ]) {
          assert.include(shown, text)
        }
        assert.include((yield* playroom("doctor", "--settle", id)).out, "paid back in another way")
        assert.include((yield* playroom("doctor")).out, "All is well")
        assert.deepStrictEqual(yield* standing(booking), {
          status: "cancelled",
          payment_status: "refunded",
          paid: 12_000,
          refunded: 12_000,
          places: false
        })
        assert.strictEqual(provider.balance(providerId(session)).refunded, 0)
        assert.include((yield* playroom("doctor", "--revive", id)).failure ?? "", "was given up")
      })
  )

  it.effect("names a refund that failed with what to do about it, and sends it again", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const booking = yield* book(packages.party)
      const session = yield* open(booking)
      yield* deliver(eventOf("checkout.session.completed", provider.act(providerId(session), "pay")))
      provider.next("createRefund", "refused")
      assert.include((yield* playroom("booking", "cancel", booking.reference)).out, "£120.00")
      yield* doTasks
      const sick = yield* playroom("doctor")
      const id = /refund_[0-9a-z]{26}/.exec(sick.out)?.[0] ?? assert.fail(sick.out)
      assert.include(sick.out, `playroom doctor --revive ${id}`)
      assert.include(sick.failure ?? "", "1 thing needs a person")
      provider.away.now = true
      assert.include((yield* playroom("doctor", "--revive", id)).failure ?? "", "was not sent")
      provider.away.now = false
      assert.include((yield* playroom("doctor", "--revive", id)).out, "will be sent again")
      assert.include((yield* playroom("doctor", "--revive", id)).failure ?? "", "was given up")
      yield* doTasks
      assert.include((yield* playroom("doctor")).out, "All is well")
      assert.deepStrictEqual(provider.balance(providerId(session)), { paid: 12_000, refunded: 12_000 })
    })
  )
})
