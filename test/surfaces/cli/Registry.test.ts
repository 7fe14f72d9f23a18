import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import { AppConfig, type Settings } from "../../../src/platform/config/AppConfig.ts"
import { serverJson } from "../../../src/surfaces/cli/registry.ts"
import { commandWorld, playroom } from "../../support/CommandLine.ts"
import { testSettings } from "../../support/testSettings.ts"

// `server.json` as the registry of MCP servers takes it: our own schema, written after the registry's of 2025-12-11
// (https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, read on 2026-11-21), of the parts that
// a remote server has. It is stricter in one thing: a member that the registry does not know is a fault.

const text = (least: number, most: number) => Schema.String.check(Schema.isMinLength(least), Schema.isMaxLength(most))
const address = Schema.String.check(Schema.isPattern(/^https:\/\/\S+$/))

const Header = Schema.Struct({
  name: Schema.String,
  description: Schema.optionalKey(Schema.String),
  isRequired: Schema.optionalKey(Schema.Boolean),
  isSecret: Schema.optionalKey(Schema.Boolean),
  default: Schema.optionalKey(Schema.String),
  placeholder: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.String),
  format: Schema.optionalKey(Schema.Literals(["string", "number", "boolean", "filepath"])),
  choices: Schema.optionalKey(Schema.Array(Schema.String))
})

const Remote = Schema.Struct({
  type: Schema.Literals(["streamable-http", "sse"]),
  url: address,
  headers: Schema.optionalKey(Schema.Array(Header))
})

export const ServerJson = Schema.Struct({
  $schema: Schema.Literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: text(3, 200).check(Schema.isPattern(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)),
  title: Schema.optionalKey(text(1, 100)),
  description: text(1, 100),
  // A version, and no range of versions.
  version: text(1, 255).check(Schema.isPattern(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/)),
  websiteUrl: Schema.optionalKey(address),
  remotes: Schema.NonEmptyArray(Remote),
  _meta: Schema.optionalKey(
    Schema.Struct({
      "io.modelcontextprotocol.registry/publisher-provided": Schema.Record(Schema.String, Schema.Unknown)
    })
  )
})

import packageJson from "../../../package.json" with { type: "json" }

const decode = Schema.decodeUnknownSync(ServerJson, { onExcessProperty: "error" })
const service = (changes: Partial<Settings> = {}) => testSettings({ baseUrl: "https://book.example.com", ...changes })

describe("server.json", () => {
  it("fits the registry's schema, whatever is set", () => {
    const publisher = {
      privacyUrl: "https://example.com/privacy",
      termsUrl: "https://example.com/terms",
      supportUrl: "mailto:help@example.com"
    }
    for (const changes of [
      {},
      { connect: ["guest"] },
      { publisher },
      { publisher: { supportUrl: publisher.supportUrl } },
      { connect: ["key", "guest"], publisher, baseUrl: "https://example.co.uk:8443" }
    ] satisfies ReadonlyArray<Partial<Settings>>)
      decode(serverJson(service(changes)))
  })

  it("names the service by its domain backwards, and its endpoint with an optional, secret key", () => {
    const { name, remotes, version, websiteUrl } = decode(serverJson(service()))
    assert.strictEqual(name, "com.example.book/playroom-booking")
    assert.strictEqual(version, packageJson.version)
    assert.strictEqual(websiteUrl, "https://book.example.com/")
    assert.strictEqual(remotes.length, 1)
    const [{ headers = [], type, url }] = remotes
    assert.deepStrictEqual([type, url], ["streamable-http", "https://book.example.com/mcp"])
    assert.deepInclude(headers[0], { name: "X-API-Key", isRequired: false, isSecret: true })
  })

  it("has the endpoint for signing in only where people can, and the publisher's addresses only where they are set", () => {
    const connected = decode(serverJson(service({ connect: ["guest"] })))
    assert.deepStrictEqual(
      connected.remotes.map(({ url }) => url),
      ["https://book.example.com/mcp", "https://book.example.com/mcp/connect"]
    )
    assert.notProperty(decode(serverJson(service())), "_meta")
    const supported = decode(serverJson(service({ publisher: { supportUrl: "https://example.com/help" } })))
    assert.deepStrictEqual(supported._meta, {
      "io.modelcontextprotocol.registry/publisher-provided": { supportUrl: "https://example.com/help" }
    })
  })

  it("in this folder is what the command prints for a service at book.example.com", () => {
    const kept: unknown = JSON.parse(readFileSync(new URL("../../../server.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(kept, serverJson(service()))
  })

  it.effect("is printed for a public service, and refused for one that nobody elsewhere can reach", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(commandWorld)
      const run = (baseUrl: string) =>
        playroom("registry").pipe(Effect.provideContext(Context.add(context, AppConfig, service({ baseUrl }))))
      const { failure, out } = yield* run("https://book.example.com")
      assert.isUndefined(failure)
      assert.deepStrictEqual(JSON.parse(out), serverJson(service()))
      for (const baseUrl of [
        "http://localhost:3000",
        "https://localhost",
        "http://book.example.com",
        "https://192.0.2.1",
        "https://[2001:db8::1]",
        "https://intranet"
      ])
        assert.include((yield* run(baseUrl)).failure, "https address", baseUrl)
    })
  )
})
