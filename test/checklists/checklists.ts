/**
 * The checklists, by their titles. `Checklists.test.ts` checks that every test named in them is there;
 * `ChecklistReporter.ts` prints them as a table at the end of a whole run.
 */
import { RegExp as Patterns } from "effect"
import { booking as assistantsBooking } from "./assistants/booking.ts"
import { money as assistantsMoney } from "./assistants/money.ts"
import { checklist as bookings } from "./booking.ts"
import { discovered } from "./discovered.ts"
import { field } from "./field.ts"
import { finding } from "./assistants/finding.ts"
import { options } from "./assistants/options.ts"
import { cost } from "./goLive/cost.ts"
import { doors } from "./goLive/doors.ts"
import { loops } from "./goLive/loops.ts"
import { money } from "./goLive/money.ts"
import { operations } from "./goLive/operations.ts"
import { sales } from "./goLive/sales.ts"
import { checklist as mcp } from "./mcp.ts"
import { amounts } from "./promises/amounts.ts"
import { faults } from "./promises/faults.ts"
import { forms } from "./promises/forms.ts"
import { checklist as payments } from "./payment.ts"
import { files } from "./promises/files.ts"
import { outsiders } from "./promises/outsiders.ts"
import { parties } from "./promises/parties.ts"
import { listing } from "./promises/listing.ts"
import { limits } from "./promises/limits.ts"
import { turning } from "./promises/turning.ts"
import { families } from "./promises/families.ts"
import { truth } from "./promises/truth.ts"
import { reports } from "./promises/reports.ts"
import { shares } from "./promises/shares.ts"
import { signIn } from "./promises/signIn.ts"
import { waits } from "./promises/waits.ts"
import { wishes } from "./promises/wishes.ts"
import { words } from "./promises/words.ts"
import { privacy } from "./promises/privacy.ts"
import { books, doors as oneRule, hurry, secondMonth } from "./thirdReview.ts"
import type { Case } from "./Case.ts"

export const checklists: Readonly<Record<string, ReadonlyArray<Case>>> = {
  Payments: payments,
  Booking: bookings,
  "The endpoint of assistants": mcp,
  "Bounded cost": cost,
  "Only what the venue sells": sales,
  Doors: doors,
  "Assistants never loop": loops,
  Money: money,
  "Who runs it sees why": operations,
  "Assistants find": finding,
  "Assistants book one wish once": assistantsBooking,
  "Assistants tell the money": assistantsMoney,
  "Assistants choose a time": options,
  "Files that a person names": files,
  "What was shown is what happens": forms,
  "A party changes as promised": parties,
  "What the provider says can turn again": turning,
  "Limits are shares, not walls": limits,
  "Reports and notices": reports,
  "What an assistant says is true": truth,
  Families: families,
  "Amounts can be charged, in their own currency": amounts,
  "Directories can list it": listing,
  "One family never sees another": privacy,
  "One wish, one place for each decision": wishes,
  "One sender's flood costs that sender": shares,
  "Hosts sign in as they really do": signIn,
  "Nobody waits for another's request": waits,
  "When things break": faults,
  "Words of a search mean something": words,
  "What outsiders did to it": outsiders,
  "Books never change behind the accountant": books,
  "One rule for every door": oneRule,
  "A venue's second month": secondMonth,
  "Assistants in a hurry": hurry,
  "What people met elsewhere": field,
  "What libraries, tools and data really do": discovered
}

/** The file and the part of a title that a checklist's entry names. */
export const named = (test: string): { readonly file: string; readonly title: string } => {
  const [, file = "", title = ""] = /^(\S+\.test\.ts): (.+)$/s.exec(test) ?? []
  return { file, title }
}

// What a title is filled in with when it runs: a template's expression, or how often a property is tried.
const filledIn = /\$\{[^}]*\}|(?<=\()[\d,]+(?= runs\))/

/** Whether a test that ran, with what its title was filled in with, is the one that an entry's title names. */
export const isNamed = (title: string, name: string): boolean =>
  new RegExp(
    title
      .split(filledIn)
      .map((part) => Patterns.escape(part))
      .join(".*"),
    "s"
  ).test(name)
