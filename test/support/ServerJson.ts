/**
 * `server.json` as the registry of MCP servers takes it: our own schema, written after the registry's of 2025-12-11
 * (https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, read on 2026-11-21), of the parts that a remote server
 * has. It is stricter in one thing: a member that the registry does not know is a fault.
 */
import { Schema } from "effect"

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
