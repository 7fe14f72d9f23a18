import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe as told } from "../src/platform/telemetry/LogLines.ts"
import { ApiKeyMissing } from "../src/platform/access/ApiKeys.ts"
import { BookingNotFound } from "../src/domain/booking/Booking.ts"
import {
  AccountUnavailable,
  ProviderKeyReused,
  ProviderUnavailable
} from "../src/domain/payment/provider/PaymentGateway.ts"
import { SignatureMissing } from "../src/domain/payment/events/WebhookSignature.ts"

const root = fileURLToPath(new URL("../src/", import.meta.url))

/** Each class of a tagged error in a source, by name, with its text up to the end of its body. */
const classesIn = (source: string): ReadonlyArray<readonly [string, string]> =>
  [
    ...source.matchAll(
      /^(?:export )?class (\w+)(?:<[^>]*>)? extends (?:Schema|Data)\.TaggedError[\s\S]*?(?:\{\}$|^\}$)/gm
    )
  ].map(([text, name = ""]) => [name, text])

describe("a tagged error", () => {
  it("says what happened, whichever of them it is: a log or a command shows nothing else", () => {
    const found = globSync("**/*.ts", { cwd: root }).flatMap((file) =>
      classesIn(readFileSync(root + file, "utf8")).map(([name, text]) => ({ name: `${file}: ${name}`, text }))
    )
    assert.isAbove(found.length, 30)
    const silent = found.filter(
      ({ text }) => !/override (?:get message\(\): string|readonly message =)|\bmessage: Schema\.String/.test(text)
    )
    assert.deepStrictEqual(
      silent.map(({ name }) => name),
      []
    )
  })

  it("names the reason, and is told so on the command line", () => {
    const network = new ProviderUnavailable({
      operation: "getSession",
      kind: "network",
      reason: "getaddrinfo ENOTFOUND"
    })
    assert.match(String(network), /getSession.*getaddrinfo ENOTFOUND/)
    for (const error of [
      network,
      new ProviderKeyReused({ operation: "createRefund" }),
      new AccountUnavailable({ account: "acct_1", reason: "closed" }),
      new BookingNotFound(),
      new ApiKeyMissing(),
      new SignatureMissing()
    ]) {
      assert.isNotEmpty(error.message)
      assert.strictEqual(told(error), error.message)
    }
  })
})
