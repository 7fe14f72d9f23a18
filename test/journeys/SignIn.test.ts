import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { tools } from "../../src/surfaces/mcp/tools/ToolList.ts"
import { connectWorld, Node, startNode, untilNoticed } from "../support/ConnectWorld.ts"
import { documentHost, jsonPage } from "../support/DocumentHost.ts"
import { shortLived } from "../support/nodeProcesses.ts"
import { ownKey, Person, postForm, register } from "../support/Person.ts"
import { freePort } from "../support/freePort.ts"
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  UnauthorizedError as UnauthorizedV2
} from "@modelcontextprotocol/client"
import { UnauthorizedError as UnauthorizedV1 } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

// The clients that hosts are built on, signing in by themselves: SDK v1 and v2, each with what it remembers of a
// server.

export const hostKinds = ["SDK v1", "SDK v2"] as const
export type HostKind = (typeof hostKinds)[number]

export const hostRedirect = "http://localhost:33418/callback"

const info = { name: "test-host", version: "1.0.0" }

interface Tokens {
  access_token: string
  token_type: string
  refresh_token?: string | undefined
  scope?: string | undefined
  expires_in?: number | undefined
}

/** What a host remembers of one server; both SDKs ask for it in the same words. */
export class Memory {
  readonly redirectUrl = hostRedirect
  readonly clientMetadata = {
    client_name: "Test Host",
    redirect_uris: [hostRedirect],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  }
  readonly clientMetadataUrl?: string
  client: { client_id: string } | undefined
  given: Tokens | undefined
  verifier = ""
  /** Where the person was led last. */
  ledTo: URL | undefined
  registrations = 0

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }
  clientInformation() {
    return this.client
  }
  saveClientInformation(client: { client_id: string }) {
    this.registrations++
    this.client = client
  }
  tokens() {
    return this.given
  }
  saveTokens(tokens: Tokens) {
    this.given = tokens
  }
  redirectToAuthorization(url: URL) {
    this.ledTo = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery") {
    if (scope === "all" || scope === "tokens") this.given = undefined
    if (scope === "all" || scope === "client") this.client = undefined
  }
}

export interface HostSession {
  readonly tools: () => Promise<ReadonlyArray<string>>
  readonly call: (name: string, input: Record<string, unknown>) => Promise<unknown>
  readonly close: () => Promise<void>
}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof UnauthorizedV1 || error instanceof UnauthorizedV2

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Connects with what is remembered; `undefined` where the person has to sign in first (`memory.ledTo`). */
export const connectHost = async (
  kind: HostKind,
  url: URL,
  memory: Memory,
  fetch: Fetch
): Promise<HostSession | undefined> => {
  try {
    if (kind === "SDK v1") {
      const client = new ClientV1(info)
      const transport = new TransportV1(url, { authProvider: memory, fetch })
      // The SDK's class does not fit its own interface under exactOptionalPropertyTypes.
      await Reflect.apply(client.connect, client, [transport])
      return {
        tools: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: (name, input) => client.callTool({ name, arguments: input }),
        close: () => client.close()
      }
    }
    const client = new ClientV2(info)
    await client.connect(new TransportV2(url, { authProvider: memory, fetch }))
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, input) => client.callTool({ name, arguments: input }),
      close: () => client.close()
    }
  } catch (error) {
    if (isUnauthorized(error)) return undefined
    throw error
  }
}

/** Hands the SDK what the person came back with. */
export const finishSignIn = async (
  kind: HostKind,
  url: URL,
  memory: Memory,
  fetch: Fetch,
  answer: URLSearchParams
): Promise<void> => {
  if (kind === "SDK v1")
    await new TransportV1(url, { authProvider: memory, fetch }).finishAuth(answer.get("code") ?? "")
  else await new TransportV2(url, { authProvider: memory, fetch }).finishAuth(answer)
}

const connected = (...host: Parameters<typeof connectHost>) =>
  Effect.map(
    Effect.promise(() => connectHost(...host)),
    (session) => session ?? assert.fail("it is asked to sign in")
  )

/** Calls a tool that needs a sign-in. */
const asksToSignIn = (session: HostSession) =>
  Effect.map(
    Effect.promise(() =>
      session.call("get_booking", { reference: "AAAA-AAAA", contact_email: "ana@example.com" }).then(
        () => "answered",
        (error: unknown) => error
      )
    ),
    (error) => assert.isTrue(isUnauthorized(error), String(error))
  )

class Documents extends Context.Service<Documents, Effect.Success<typeof documentHost>>()("test/Documents") {}

const world = Layer.unwrap(
  Effect.map(documentHost, (host) => Layer.merge(connectWorld({}, host.network), Layer.succeed(Documents, host)))
)

layer(world, { excludeTestServices: true })("a host", (it) => {
  /** Requests go to two nodes in turn, as behind a balancer. */
  const balanced = Effect.gen(function* () {
    const base = yield* Node
    const { network } = yield* Documents
    const other = yield* startNode({ further: true, network })
    let turn = 0
    return (url: string | URL, init?: RequestInit) =>
      fetch(turn++ % 2 === 0 ? String(url) : String(url).replace(base, other), init)
  })

  for (const kind of hostKinds) {
    for (const way of ["registers", "has a client-id document"] as const) {
      it.effect(
        `on ${kind} that ${way} finds its way by itself, calls tools, refreshes, and asks anew when it is revoked`,
        () =>
          Effect.gen(function* () {
            const base = yield* Node
            const documents = yield* Documents
            const through = yield* balanced
            const url = new URL(`${base}/mcp/connect`)
            const client_id = documents.url(`/${kind.replaceAll(" ", "-")}`)
            const memory = new Memory(way === "registers" ? undefined : client_id)
            documents.pages.set(new URL(client_id).pathname, jsonPage({ client_id, ...memory.clientMetadata }))

            const before = yield* connected(kind, url, memory, through)
            assert.deepStrictEqual(
              yield* Effect.promise(() => before.tools()),
              tools.map(({ name }) => name)
            )
            const seen = yield* Effect.promise(() => before.call("search_playrooms", {}))
            assert.nestedProperty(seen, "structuredContent.playrooms")
            assert.strictEqual(memory.registrations, 0, "nothing asks for a sign-in before it is needed")
            yield* asksToSignIn(before)
            const ledTo = memory.ledTo ?? assert.fail("the person was led nowhere")
            assert.strictEqual(ledTo.searchParams.get("resource"), url.href)
            assert.strictEqual(ledTo.searchParams.get("code_challenge_method"), "S256")
            if (way === "registers") assert.strictEqual(memory.registrations, 1)
            else assert.strictEqual(ledTo.searchParams.get("client_id"), client_id)
            const person = new Person()
            const back = yield* person.press(yield* person.open(ledTo.href), "key", { key: ownKey })
            assert.isTrue(back.url.startsWith(hostRedirect), `${back.status} ${back.url}`)
            yield* Effect.promise(() => finishSignIn(kind, url, memory, through, new URL(back.url).searchParams))

            yield* Effect.promise(() => before.close())

            const session = yield* connected(kind, url, memory, through)
            assert.deepStrictEqual(
              yield* Effect.promise(() => session.tools()),
              tools.map(({ name }) => name)
            )
            const found = yield* Effect.promise(() => session.call("search_playrooms", {}))
            assert.nestedProperty(found, "structuredContent.playrooms")

            // As if an hour had passed: the access token counts no more, and the host refreshes by itself.
            const had = memory.given ?? assert.fail("no tokens")
            memory.given = { ...had, access_token: "worn-out" }
            const again = yield* Effect.promise(() =>
              session.call("get_booking", { reference: "AAAA-AAAA", contact_email: "ana@example.com" })
            )
            assert.include(JSON.stringify(again), "booking_not_found")
            assert.notStrictEqual(memory.given?.refresh_token, had.refresh_token)

            const { status } = yield* postForm(`${base}/connect/revoke`, {
              token: memory.given?.refresh_token ?? "",
              client_id: memory.client?.client_id ?? client_id
            })
            assert.strictEqual(status, 200)
            yield* untilNoticed
            memory.ledTo = undefined
            const refused = yield* Effect.promise(() =>
              session.call("search_playrooms", {}).then(
                () => "answered",
                (error: unknown) => String(error)
              )
            )
            assert.notStrictEqual(refused, "answered")
            assert.isDefined(memory.ledTo, refused)
            yield* Effect.promise(() => session.close())
          }).pipe(Effect.scoped)
      )
    }

    it.effect(`on ${kind} tells its person where they refused`, () =>
      Effect.gen(function* () {
        const base = yield* Node
        const url = new URL(`${base}/mcp/connect`)
        const memory = new Memory()
        const session = yield* connected(kind, url, memory, fetch)
        yield* asksToSignIn(session)
        const person = new Person()
        const back = yield* person.press(yield* person.open(memory.ledTo?.href ?? ""), "refusal")
        assert.strictEqual(new URL(back.url).searchParams.get("error"), "access_denied")
        yield* asksToSignIn(session)
        yield* Effect.promise(() => session.close())
      })
    )
  }
})

layer(connectWorld({ connectSignIn: "first" }), { excludeTestServices: true })("with CONNECT_SIGN_IN=first", (it) => {
  for (const kind of hostKinds) {
    it.effect(`a host on ${kind} signs in before its first answer`, () =>
      Effect.gen(function* () {
        const base = yield* Node
        const url = new URL(`${base}/mcp/connect`)
        const memory = new Memory()
        assert.isUndefined(yield* Effect.promise(() => connectHost(kind, url, memory, fetch)))
        const person = new Person()
        const back = yield* person.press(yield* person.open(memory.ledTo?.href ?? ""), "guest")
        yield* Effect.promise(() => finishSignIn(kind, url, memory, fetch, new URL(back.url).searchParams))
        const session = yield* connected(kind, url, memory, fetch)
        assert.isAbove((yield* Effect.promise(() => session.tools())).length, 0)
        yield* Effect.promise(() => session.close())
      })
    )
  }
})

layer(connectWorld(), { excludeTestServices: true })("the official conformance suite", (it) => {
  it.effect("finds nothing wrong with the authorization server", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const port = yield* freePort
      const redirect = `http://127.0.0.1:${port}/callback`
      const client_id = yield* register(base, { redirect_uris: [redirect] })
      const suite = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [
            ...shortLived,
            fileURLToPath(new URL("../../node_modules/mcp-conformance/dist/index.js", import.meta.url)),
            "authorization",
            "--url",
            `${base}/connect`,
            "--client-id",
            client_id,
            "--resource",
            `${base}/mcp/connect`,
            "--port",
            String(port)
          ])
        ),
        (child) => Effect.sync(() => child.kill())
      )
      let printed = ""
      const ended = new Promise<void>((done) => suite.once("exit", () => done()))
      const asks = yield* Effect.promise(
        () =>
          new Promise<string>((found) => {
            suite.stdout.on("data", (data: Buffer) => {
              printed += data.toString()
              const url = /http\S+\/connect\/authorize\?\S+/.exec(printed)?.[0]
              if (url !== undefined) found(url)
            })
            void ended.then(() => found(""))
          })
      )
      assert.notStrictEqual(asks, "", printed)
      const person = new Person()
      const back = yield* person.press(yield* person.open(asks), "key", { key: ownKey })
      yield* Effect.promise(() => fetch(back.url))
      yield* Effect.promise(() => ended)
      assert.include(printed, "Total: 3 passed, 0 failed", printed)
    }).pipe(Effect.scoped)
  )
})
