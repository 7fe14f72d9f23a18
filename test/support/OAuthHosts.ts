/** The clients that hosts are built on, signing in by themselves: SDK v1 and v2, each with what it remembers of a server. */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  UnauthorizedError as UnauthorizedV2
} from "@modelcontextprotocol/client"
import { UnauthorizedError as UnauthorizedV1 } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

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
