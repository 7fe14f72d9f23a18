/** `playroom registry`: this service's entry for the registry of MCP servers. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import packageJson from "../../../package.json" with { type: "json" }
import { toolsPath } from "../../domain/oauth/OAuthExchange.ts"
import { AppConfig, type Settings } from "../../platform/config/AppConfig.ts"
import { isLoopback } from "../../platform/text/Text.ts"
import { failed } from "./Failure.ts"

/** The server's name: the reversed domain proves its owner. */
const nameAt = (hostname: string): string => `${hostname.split(".").toReversed().join(".")}/playroom-booking`

/**
 * `server.json` for the service at `baseUrl`, in the registry's schema of 2025-12-11
 * (https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json). The schema has no fields for
 * addresses for people, so they are in the publisher's own metadata.
 */
export const serverJson = ({
  baseUrl,
  connect,
  publisher
}: Pick<Settings, "baseUrl" | "connect" | "publisher">): object => {
  const { privacyUrl, supportUrl, termsUrl } = publisher
  const addresses = {
    ...(privacyUrl === undefined ? {} : { privacyPolicyUrl: privacyUrl }),
    ...(termsUrl === undefined ? {} : { termsOfServiceUrl: termsUrl }),
    ...(supportUrl === undefined ? {} : { supportUrl })
  }
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: nameAt(new URL(baseUrl).hostname),
    title: "Playroom booking",
    description: "Find a children's playroom, see free times and exact prices, book it, and get a link to pay.",
    version: packageJson.version,
    websiteUrl: `${baseUrl}/`,
    remotes: [
      {
        type: "streamable-http",
        url: `${baseUrl}/mcp`,
        headers: [
          {
            name: "X-API-Key",
            description: "The API key for booking and paying. Searching and prices need none.",
            isRequired: false,
            isSecret: true
          }
        ]
      },
      ...(connect.length === 0 ? [] : [{ type: "streamable-http", url: `${baseUrl}${toolsPath}` }])
    ],
    ...(Object.keys(addresses).length === 0
      ? {}
      : { _meta: { "io.modelcontextprotocol.registry/publisher-provided": addresses } })
  }
}

/** Whether this address is public and has a registrable domain. */
const isPublic = (baseUrl: string): boolean => {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === "https:" && !isLoopback(hostname) && /\.[a-z][a-z0-9-]*$/i.test(hostname)
}

export const registry = Command.make(
  "registry",
  {},
  Effect.fn(function* () {
    const settings = yield* AppConfig
    if (!isPublic(settings.baseUrl)) {
      return yield* failed(
        `The registry lists public services: set BASE_URL to the https address of yours; it is ${settings.baseUrl}.`
      )
    }
    return yield* Console.log(JSON.stringify(serverJson(settings), null, 2))
  })
).pipe(Command.withDescription("Print server.json, by which the registry of MCP servers lists this service"))
