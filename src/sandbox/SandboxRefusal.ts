/** A refusal in the provider's shape (https://docs.stripe.com/api/errors). */
import { Schema } from "effect"

export class SandboxRefusal extends Schema.TaggedError<SandboxRefusal>()("SandboxRefusal", {
  status: Schema.Int,
  type: Schema.Literals(["invalid_request_error", "idempotency_error", "api_error"]),
  code: Schema.optionalKey(Schema.String),
  param: Schema.optionalKey(Schema.String),
  text: Schema.String
}) {
  override get message(): string {
    return this.text
  }
}

/** 400, the usual one. */
export const refuse = (text: string, more: { readonly code?: string; readonly param?: string } = {}): SandboxRefusal =>
  new SandboxRefusal({ status: 400, type: "invalid_request_error", text, ...more })

export const missing = (kind: string, id: string): SandboxRefusal =>
  new SandboxRefusal({
    status: 404,
    type: "invalid_request_error",
    code: "resource_missing",
    param: kind === "checkout.session" ? "session" : "id",
    text: `No such ${kind}: '${id}'`
  })

/** The body that goes over the wire. */
export const refusalBody = (refusal: SandboxRefusal): object => ({
  error: {
    ...(refusal.code === undefined
      ? {}
      : { code: refusal.code, doc_url: `https://docs.stripe.com/error-codes#${refusal.code.replaceAll("_", "-")}` }),
    message: refusal.text,
    ...(refusal.param === undefined ? {} : { param: refusal.param }),
    type: refusal.type
  }
})
