/** What an API key allows, and how a call fails that lacks it. */
import { Schema } from "effect"

export const Scope = Schema.Literals(["bookings:read", "bookings:write", "payments:write", "admin"])
export type Scope = typeof Scope.Type

/** The caller behind a valid key: what it may do, and (where set) the one operator whose playrooms it may book. */
export interface Principal {
  readonly key_id: string
  readonly scopes: ReadonlySet<Scope>
  readonly operator_id?: string
  /** Set for a person without a key of their own: whom their holds count with (`access/connect/Grants.ts`). */
  readonly guest?: Guest
}

/** Where a guest came from: the network address (IPv6: the /64 network), and the host of the client that they use. */
export interface Guest {
  readonly address: string
  readonly host: string
}

export class ApiKeyMissing extends Schema.TaggedError<ApiKeyMissing>()("ApiKeyMissing", {}) {
  override get message(): string {
    return "The call needs an API key, and had none."
  }
}
/** A request whose two headers for a key hold different ones. */
export class ApiKeysDiffer extends Schema.TaggedError<ApiKeysDiffer>()("ApiKeysDiffer", {}) {
  override get message(): string {
    return "The X-API-Key and Authorization headers hold different API keys."
  }
}
/** The key is wrong, expired or revoked; the caller does not learn which. */
export class ApiKeyInvalid extends Schema.TaggedError<ApiKeyInvalid>()("ApiKeyInvalid", {}) {
  override get message(): string {
    return "The API key is wrong, expired or revoked."
  }
}
export class ApiKeyScope extends Schema.TaggedError<ApiKeyScope>()("ApiKeyScope", { scope: Scope }) {
  override get message(): string {
    return `The API key lacks the scope ${this.scope}.`
  }
}
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retry_after_seconds: Schema.Int
}) {
  override get message(): string {
    return `Too many calls: the next may come in ${this.retry_after_seconds} s.`
  }
}
