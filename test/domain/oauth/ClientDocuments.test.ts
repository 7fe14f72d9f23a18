import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import {
  type DocumentRefused,
  type Network,
  PublicDocuments,
  publicInternet
} from "../../../src/platform/access/PublicDocuments.ts"
import { documentRequest, largestDocument } from "../../../src/domain/oauth/OAuthConfiguration.ts"
import { connectWorld, Node, startNode } from "../../support/ConnectWorld.ts"
import { documentHost, jsonPage } from "../../support/DocumentHost.ts"
import { authorizeUrl, codeOf, ownKey, Person, redeem, redirectUri, refresh } from "../../support/Person.ts"

const fetched = (network: Network, address: string) =>
  PublicDocuments.use((documents) => documents.fetch(address, documentRequest("application/json"))).pipe(
    Effect.provide(PublicDocuments.layerOn(network)),
    Effect.result
  )

const why = (result: Result.Result<Response, DocumentRefused>): string =>
  Result.isFailure(result) ? result.failure.why : `answered ${result.success.status}`

describe("fetching a client's document", () => {
  it.live("asks https addresses of the public internet only", () =>
    Effect.gen(function* () {
      for (const address of [
        "http://client.example.test/",
        "ftp://client.example.test/",
        "file:///etc/passwd",
        "nothing"
      ])
        assert.strictEqual(why(yield* fetched(publicInternet, address)), "the address is no https address")
      for (const host of ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[fd00::1]", "[::ffff:127.0.0.1]", "0"])
        assert.strictEqual(
          why(yield* fetched(publicInternet, `https://${host}/`)),
          "the host is not on the public internet",
          host
        )
      assert.strictEqual(
        why(yield* fetched(publicInternet, "https://client.example.test:8443/")),
        "the address names another port than that of https"
      )
      assert.strictEqual(
        why(yield* fetched(publicInternet, "https://name:password@client.example.test/")),
        "the address holds a name or a password"
      )
    })
  )

  it.live("asks no host of which one address leads elsewhere", () =>
    Effect.gen(function* () {
      const network: Network = { ...publicInternet, resolve: () => Effect.succeed(["93.184.215.14", "10.0.0.1"]) }
      assert.strictEqual(
        why(yield* fetched(network, "https://client.example.test/")),
        "the host is not on the public internet"
      )
      const nowhere: Network = { ...publicInternet, resolve: () => Effect.succeed([]) }
      assert.strictEqual(why(yield* fetched(nowhere, "https://client.example.test/")), "the host has no address")
    })
  )

  it.live("connects to the address that was checked, whatever the name leads to a moment later", () =>
    Effect.gen(function* () {
      const host = yield* documentHost
      host.pages.set("/client", jsonPage({}))
      let asked = 0
      const network: Network = {
        ...host.network,
        resolve: () => Effect.sync(() => (asked++ === 0 ? ["127.0.0.1"] : ["192.0.2.1"]))
      }
      assert.strictEqual(why(yield* fetched(network, host.url("/client"))), "answered 200")
      assert.strictEqual(asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("believes a host by its certificate only", () =>
    Effect.gen(function* () {
      const host = yield* documentHost
      const { authorities: _, ...untrusting } = host.network
      assert.include(why(yield* fetched(untrusting, host.url("/client"))), "the host could not be asked")
      assert.include(
        why(yield* fetched(host.network, host.url("/client", "client.other.test"))),
        "the host could not be asked"
      )
    }).pipe(Effect.scoped)
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const host = yield* documentHost
      host.pages.set("/client", (_, response) => response.writeHead(302, { location: "/elsewhere" }).end())
      assert.strictEqual(why(yield* fetched(host.network, host.url("/client"))), "answered 302")
      assert.deepStrictEqual(host.asked, ["/client"])
    }).pipe(Effect.scoped)
  )

  it.live("reads no more than a document may have, declared or not", () =>
    Effect.gen(function* () {
      const host = yield* documentHost
      let sent = 0
      host.pages.set("/megabytes", (_, response) => {
        response.writeHead(200)
        const chunk = Buffer.alloc(64 * 1024, " ")
        const more = (): void => {
          while (sent < 64 * 1024 * 1024 && response.writable) {
            sent += chunk.length
            if (!response.write(chunk)) return void response.once("drain", more)
          }
          response.end()
        }
        more()
      })
      assert.strictEqual(
        why(yield* fetched(host.network, host.url("/megabytes"))),
        `the document is larger than ${largestDocument} bytes`
      )
      assert.isBelow(sent, 16 * 1024 * 1024)
    }).pipe(Effect.scoped)
  )

  for (const [what, page] of [
    ["that never answers", "/silent"],
    ["that answers a byte at a time", "/slow"]
  ] as const) {
    it.live(
      `gives up on a host ${what}`,
      () =>
        Effect.gen(function* () {
          const host = yield* documentHost
          host.pages.set("/silent", () => {})
          host.pages.set("/slow", (_, response) => {
            response.writeHead(200)
            const timer = setInterval(() => response.write(" "), 100)
            response.once("close", () => clearInterval(timer))
          })
          const start = yield* Clock.currentTimeMillis
          assert.strictEqual(why(yield* fetched(host.network, host.url(page))), "the host did not answer in time")
          // However busy the machine is.
          assert.isBelow((yield* Clock.currentTimeMillis) - start, 15_000)
        }).pipe(Effect.scoped),
      { concurrent: true }
    )
  }
})

layer(connectWorld(), { excludeTestServices: true })("a host with a client-id document", (it) => {
  const started = Effect.gen(function* () {
    const host = yield* documentHost
    const node = yield* startNode({ network: host.network, further: true })
    const base = yield* Node
    const client_id = host.url("/client")
    const document = {
      client_id,
      client_name: "Family Helper",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none"
    }
    /** Opens the page where a person agrees, on the node that reaches this host. */
    const open = (id: string) => {
      const asking = authorizeUrl(base, id)
      const person = new Person({}, { base, node })
      return Effect.map(person.open(asking.url), (seen) => ({ asking, person, seen }))
    }
    return { base, host, node, client_id, document, open }
  })

  it.effect("signs in without having registered, and is shown by the host that is proven", () =>
    Effect.gen(function* () {
      const { client_id, document, host, node, open } = yield* started
      host.pages.set("/client", jsonPage(document))
      const { asking, person, seen } = yield* open(client_id)
      assert.strictEqual(seen.status, 200, seen.text)
      assert.include(seen.text, "client.example.test")
      assert.include(seen.text, "Family Helper")
      assert.include(seen.text, "This address is confirmed.")
      const back = yield* person.press(seen, "key", { key: ownKey })
      const { body, status } = yield* redeem(node, client_id, codeOf(back), asking)
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.deepStrictEqual(host.asked, ["/client"])
    }).pipe(Effect.scoped)
  )

  it.effect("proves itself by its published key, with each proof once", () =>
    Effect.gen(function* () {
      const { base, client_id, document, host, node, open } = yield* started
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
      const jwk = { ...publicKey.export({ format: "jwk" }), kid: "1", alg: "ES256", use: "sig" }
      const jwks_uri = host.url("/jwks")
      host.pages.set("/jwks", jsonPage({ keys: [jwk] }))
      host.pages.set(
        "/client",
        jsonPage({
          ...document,
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: "ES256",
          jwks_uri
        })
      )
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const claims = { iss: client_id, sub: client_id, aud: `${base}/connect`, iat: now, exp: now + 60 }
      const proof = (jti: string) => {
        const text = `${part({ alg: "ES256", kid: "1" })}.${part({ ...claims, jti })}`
        const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" })
        return `${text}.${signature.toString("base64url")}`
      }
      const { asking, person, seen } = yield* open(client_id)
      const code = codeOf(yield* person.press(seen, "key", { key: ownKey }))
      const bare = yield* redeem(node, client_id, code, asking)
      assert.deepStrictEqual([bare.status, bare.body.error], [401, "invalid_client"])
      const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
      const proven = yield* redeem(node, client_id, code, asking, {
        client_assertion_type,
        client_assertion: proof("a")
      })
      assert.strictEqual(proven.status, 200, JSON.stringify(proven.body))
      const again = yield* refresh(node, client_id, String(proven.body.refresh_token), {
        client_assertion_type,
        client_assertion: proof("a")
      })
      assert.deepStrictEqual([again.status, again.body.error], [401, "invalid_client"])
      const next = yield* refresh(node, client_id, String(proven.body.refresh_token), {
        client_assertion_type,
        client_assertion: proof("b")
      })
      assert.strictEqual(next.status, 200, JSON.stringify(next.body))
    }).pipe(Effect.scoped)
  )

  for (const [what, changes] of [
    ["names another client", { client_id: "https://other.example.test/client" }],
    ["names none", { client_id: undefined }],
    ["has a secret", { client_secret: "secret", token_endpoint_auth_method: "client_secret_post" }],
    ["has no redirect address", { redirect_uris: [] }],
    ["has a redirect address in the clear", { redirect_uris: ["http://host.example/callback"] }],
    ["has a script as redirect address", { redirect_uris: ["javascript:alert(1)"] }]
  ] as const) {
    it.effect(`is not let in where its document ${what}`, () =>
      Effect.gen(function* () {
        const { client_id, document, host, open } = yield* started
        host.pages.set("/client", jsonPage({ ...document, ...changes }))
        const { seen } = yield* open(client_id)
        assert.strictEqual(seen.status, 400)
        assert.match(seen.text, /<code>invalid_(client|client_metadata|redirect_uri)<\/code>/)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("is not let in where its document is a list, no JSON, a redirect, missing, or too large", () =>
    Effect.gen(function* () {
      const { document, host, open } = yield* started
      host.pages.set("/list", jsonPage([document]))
      host.pages.set("/text", (_, response) => response.writeHead(200).end("hello"))
      host.pages.set("/redirect", (_, response) => response.writeHead(301, { location: "/client" }).end())
      host.pages.set("/large", jsonPage({ ...document, client_id: host.url("/large"), padding: "x".repeat(20_000) }))
      for (const path of ["/list", "/text", "/redirect", "/missing", "/large"]) {
        const { seen } = yield* open(host.url(path))
        assert.strictEqual(seen.status, 400, path)
        assert.match(seen.text, /<code>invalid_client(_metadata)?<\/code>/)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is nobody where its id is no plain https address", () =>
    Effect.gen(function* () {
      const { host, open } = yield* started
      for (const id of [
        host.url("/client").replace("https:", "http:"),
        host.url("/a/../client"),
        host.url("/client#part"),
        host.url("/client").replace("https://", "https://name@")
      ]) {
        const { seen } = yield* open(id)
        assert.strictEqual(seen.status, 400, id)
        assert.include(seen.text, "<code>invalid_client</code>")
      }
      assert.deepStrictEqual(host.asked, [])
    }).pipe(Effect.scoped)
  )
})

layer(connectWorld({ rateLimits: { perAddress: 1000, perKey: 1000 } }), { excludeTestServices: true })(
  "a sender who has this service fetch",
  (it) => {
    it.effect("S5: has one share for the documents of clients and for the keys that they name", () =>
      Effect.gen(function* () {
        const host = yield* documentHost
        const node = yield* startNode({ network: host.network, further: true })
        const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
        const client_id = host.url("/client")
        host.pages.set(
          "/client",
          jsonPage({
            client_id,
            client_name: "Asks often",
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: "private_key_jwt",
            token_endpoint_auth_signing_alg: "ES256",
            jwks_uri: host.url("/missing")
          })
        )
        const asking = authorizeUrl(node, client_id)
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const claims = { iss: client_id, sub: client_id, aud: `${yield* Node}/connect`, iat: now, exp: now + 60 }
        for (let nth = 0; nth < 30; nth++) {
          const { status } = yield* redeem(node, client_id, "no-code", asking, {
            client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            client_assertion: `${part({ alg: "ES256" })}.${part({ ...claims, jti: `${nth}` })}.${part("x")}`
          })
          assert.include([400, 401], status)
        }
        assert.include(host.asked, "/missing")
        assert.isAtMost(host.asked.length, 10)
      }).pipe(Effect.scoped)
    )
  }
)
