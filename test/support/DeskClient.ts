/** Somebody at the desk: what a browser would send, with its cookie and a passkey. */

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { PageAddress } from "./FamilyPages.ts"

// An authenticator with one passkey (WebAuthn, level 3): ES256, always with user verification, and no attestation.

const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")
const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** CBOR (RFC 8949, 4.2: the shortest form) as far as authenticators need it. */
const head = (major: number, n: number): Buffer => {
  if (n < 24) return Buffer.from([(major << 5) | n])
  return n < 256 ? Buffer.from([(major << 5) | 24, n]) : Buffer.from([(major << 5) | 25, n >> 8, n & 255])
}
const cbor = (value: number | string | Uint8Array | ReadonlyMap<number | string, unknown>): Buffer => {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === "string") return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const parts = [...value].flatMap(([key, inner]) => [cbor(key), cbor(inner as Parameters<typeof cbor>[0])])
  return Buffer.concat([head(5, value.size), ...parts])
}

export interface Asked {
  readonly challenge: string
  readonly origin: string
  readonly site: string
}

/** The authenticator of a new person. `made` answers the ceremony that makes the passkey, `used` one that uses it. */
export const softwareAuthenticator = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const id = randomBytes(32)
  let uses = 0
  const clientData = (type: string, { challenge, origin }: Asked) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  // Flags: the person is present (1) and verified (4); a passkey is attached (64).
  const dataOf = (site: string, flags: number) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(uses)
    return Buffer.concat([sha256(site), Buffer.from([flags]), count])
  }
  const answer = (response: Readonly<Record<string, Uint8Array>>): string =>
    JSON.stringify({
      id: encoded(id),
      rawId: encoded(id),
      type: "public-key",
      response: Object.fromEntries(Object.entries(response).map(([name, bytes]) => [name, encoded(bytes)]))
    })
  return {
    id: encoded(id),
    made: (asked: Asked, { verified = true }: { readonly verified?: boolean } = {}): string => {
      const key = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")]
      ])
      const attached = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)])
      const authData = Buffer.concat([dataOf(asked.site, verified ? 1 | 4 | 64 : 1 | 64), attached])
      const attestationObject = cbor(
        new Map<string, unknown>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", authData]
        ])
      )
      return answer({ clientDataJSON: clientData("webauthn.create", asked), attestationObject })
    },
    /** `verified: false`: it did not ask who the person is. `at`: another count of uses, as a copied passkey has. */
    used: (
      asked: Asked,
      { at, verified = true }: { readonly at?: number; readonly verified?: boolean } = {}
    ): string => {
      uses = at ?? uses + 1
      const clientDataJSON = clientData("webauthn.get", asked)
      const authenticatorData = dataOf(asked.site, verified ? 1 | 4 : 1)
      const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientDataJSON).digest()])
      return answer({ clientDataJSON, authenticatorData, signature: sign("sha256", signed, privateKey) })
    }
  }
}

/** The service's public address in these tests; its port is another. */
export const deskBase = "https://book.example.com"

/** What a person reads. */
export const readable = (html: string): string =>
  html
    .replace(/<style>.*<\/style>/s, "")
    .replace(/<script>.*<\/script>/s, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/g, " ")

/** The sentence with which a page says why a passkey was refused; undefined if it refuses none. */
export const refusalIn = (html: string): string | undefined => {
  const told = /<p role="alert" data-refused="">(.*?)<\/p>/.exec(html)?.[1]
  return told === undefined ? undefined : readable(told).trim()
}

/** A request as a browser sends it, with what came. */
export const request = Effect.fnUntraced(function* (
  path: string,
  {
    body,
    cookie,
    form,
    headers = {},
    method
  }: {
    readonly cookie?: string | undefined
    readonly form?: Readonly<Record<string, string>>
    /** A form that has a field several times. */
    readonly body?: URLSearchParams
    readonly headers?: Readonly<Record<string, string>>
    readonly method?: string
  } = {}
) {
  const base = yield* PageAddress
  return yield* Effect.promise(async () => {
    const response = await fetch(base + path, {
      method: method ?? (form === undefined ? "GET" : "POST"),
      redirect: "manual",
      headers: {
        ...(form === undefined && body === undefined ? {} : { "sec-fetch-site": "same-origin" }),
        ...(cookie === undefined ? {} : { cookie: `__Host-desk=${cookie}` }),
        ...headers
      },
      ...(form === undefined ? (body === undefined ? {} : { body }) : { body: new URLSearchParams(form) })
    })
    const text = await response.text()
    const set = response.headers.getSetCookie().join("; ")
    return {
      status: response.status,
      headers: response.headers,
      text,
      set,
      /** The session that this answer began. */
      session: /^__Host-desk=([^;]+);/.exec(set)?.[1]
    }
  })
})

/** What a page asks a passkey. */
export const askedBy = (html: string): Asked => ({
  challenge: /data-challenge="([^"]+)"/.exec(html)?.[1] ?? assert.fail("the page asks for no passkey"),
  origin: deskBase,
  site: /data-site="([^"]+)"/.exec(html)?.[1] ?? ""
})

/** Makes a passkey with an invitation, and signs in. */
export const join = Effect.fnUntraced(function* (invitation: string) {
  const { pathname } = new URL(invitation)
  const authenticator = softwareAuthenticator()
  const page = yield* request(pathname)
  const { session, status, text } = yield* request(pathname, {
    form: { passkey: authenticator.made(askedBy(page.text)) }
  })
  assert.strictEqual(status, 303, readable(text))
  return { authenticator, session: session ?? assert.fail("no session began"), pathname }
})

/** Signs in with a passkey. */
export const signIn = Effect.fnUntraced(function* (authenticator: ReturnType<typeof softwareAuthenticator>) {
  const page = yield* request("/desk")
  return yield* request("/desk/sign-in", { form: { passkey: authenticator.used(askedBy(page.text)) } })
})
