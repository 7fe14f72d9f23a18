import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Contact } from "../../../src/domain/booking/Booking.ts"
import { FileOperator } from "../../../src/domain/import/CatalogueSchema.ts"

const isContact = (email: string): boolean => Schema.is(Contact.fields.email)(email)
const isSupport = (email: string): boolean => Schema.is(FileOperator.fields.support_email.schema)(email)

describe("an e-mail address", () => {
  it("of a family or a venue may be unusual, in any script", () => {
    for (const email of ["ana@example.com", "o'hara+tag_%=x@ex-ample.co.uk", "a..b@docomo.example", "ユーザー@例え.jp"])
      assert.deepStrictEqual([email, isContact(email), isSupport(email)], [email, true, true])
  })

  it("with a full stop copied from a sentence, or another dot too many in its domain, is refused", () => {
    for (const email of ["ana@example.com.", "ana@example..com", "ana@.example.com", "ana@example"])
      assert.deepStrictEqual([email, isContact(email), isSupport(email)], [email, false, false])
  })
})
