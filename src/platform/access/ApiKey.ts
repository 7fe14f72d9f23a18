/** What an API key allows, and the errors of calls without a sufficient key. */
import { Schema } from "effect"

export const Scope = Schema.Literals(["bookings:read", "bookings:write", "payments:write", "admin"])
export type Scope = typeof Scope.Type

/** The caller: its scopes, and the one operator whose playrooms it may book (absent: all operators). */
export interface Principal {
  readonly key_id: string
  readonly scopes: ReadonlySet<Scope>
  readonly operator_id?: string
  /** Set for a person without an API key. Holds are limited by guest (`domain/oauth/Grants.ts`). */
  readonly guest?: Guest
  /** Who at the venue acts, as the bookings' history names them. */
  readonly done_by?: string
}

/** The venue itself, at its desk or by command: what it books counts as made with one key, of its own playrooms alone. */
export const venuePrincipal = (operator_id: string, done_by: string | undefined): Principal => ({
  key_id: operator_id,
  scopes: new Set(),
  operator_id,
  ...(done_by === undefined ? {} : { done_by })
})

/** A guest's network address (IPv6: the /64 network) and the host of their client. */
export interface Guest {
  readonly address: string
  readonly host: string
}

export class ApiKeyMissing extends Schema.TaggedError<ApiKeyMissing>()("ApiKeyMissing", {}) {
  override get message(): string {
    return "The call needs an API key, and had none."
  }
}
/** The two headers of a request hold different keys. */
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
  /** Whose calls were too many: those of an API key, or those without a valid key of a network address. */
  per: Schema.Literals(["key", "address"]),
  retry_after_seconds: Schema.Int
}) {
  override get message(): string {
    return `Too many calls: the next may come in ${this.retry_after_seconds} s.`
  }
}
