/**
 * Reports that forget nothing, and events that come without their object. `Checklists.test.ts` checks that each named
 * test is there.
 */
import { type Case, checked } from "../Case.ts"

const thin = "test/domain/payment/events/ThinEvents.test.ts"
const endpoints = "test/domain/payment/setup/ThinEndpoints.test.ts"
const told = "test/surfaces/cli/Reports.test.ts"

export const reports: ReadonlyArray<Case> = [
  checked(
    "D4. a command that does several things says of each what came of it, does the rest, and fails if one failed",
    `${told}: provider setup: makes the other endpoint, tells its secret, and does not say that all is well`,
    `${told}: provider setup: says if the fingerprint of a new secret could not be kept`,
    `${told}: payment reconcile: compares the other accounts, and says that one was not; if none was, never that all is there`,
    `${told}: payment reconcile: settles the other payments of an account, and names the one that it could not`,
    `${told}: operator onboard: says that the account was made, though its link was not, or it could not be noted`,
    `${told}: person erase: erases from the other bookings, and never says that nothing was erased`,
    `${told}: catalogue import: in steps says what was written, which step failed, and what was not tried`,
    `${told}: catalogue new: says that the file was written, though the schema beside it was not`,
    `${told}: doctor: lists what it finds though some of it can't be looked for, and names that`,
    `${told}: is known as one: every other command does one thing, whole or not at all`,
    "test/domain/people/privacy/PersonalDataDays.test.ts: erases the others if one booking can't be, hour after hour, and that one once it can",
    "test/domain/people/privacy/Retention.test.ts: removes the other old rows if some can't be removed"
  ),
  checked(
    "D8. a thin event is verified, stored and applied: its object is fetched with its account",
    "test/domain/payment/events/WebhookSignature.test.ts: reads a thin event as a notice of its object, as the provider's own library does",
    `${thin}: has its session fetched with its account, and that is applied, once however often it comes`,
    `${thin}: of an invoice has it fetched from the platform's account`,
    `${thin}: of a type, account, livemode or session that is not ours is stored as ignored`,
    `${thin}: that comes before our own row knows the provider's session finds it by asking`,
    `${thin}: of money for a booking that is lost is rejected by its name, and applied once the booking is there`,
    `${thin}: that the provider does not answer for is tried again, and then given up`,
    `${thin}: beside the snapshot event of the same fact changes nothing twice`,
    `${endpoints}: are made by provider setup --payload thin, with the events that are used, and are recognised afterwards`,
    `${endpoints}: are put right: one that is switched off, and one that listens to other events`,
    `${endpoints}: take the place of others without a gap, and give it back; a rotation keeps the kind`,
    `${endpoints}: are sent thin events, again until one is taken, and each confirms its booking once`
  )
]
