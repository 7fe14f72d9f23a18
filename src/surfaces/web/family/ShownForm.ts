/** What the family's forms have in common: they name the state that they showed (`domain/booking/ShownState.ts`). */
import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ShownState } from "../../../domain/booking/ShownState.ts"
import { html } from "../../../platform/text/Html.ts"
import { messages } from "../../../words/Languages.ts"
import { page } from "../frame/Layout.ts"
import { actions, buttonLink } from "../frame/Parts.ts"
import { type OpenedBooking, stepAddress } from "./BookingStep.ts"
import { leadTo } from "../frame/Forms.ts"

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({
    shown: ShownState,
    option: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(80)))
  })
)

/** The fields of a submitted form. */
export const shownIn = (form: URLSearchParams) => decode(Object.fromEntries(form))

/** Leads to the booking's page. */
export const toBooking = ({ asked }: Pick<OpenedBooking, "asked">) => Effect.succeed(leadTo(stepAddress(asked)))

/** Another change of the booking is under way. */
export const underWayPage = ({ asked }: OpenedBooking): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  const { booking: text, words } = messages[language]
  return page(
    text.underWayTitle,
    html`<h1>${text.underWayTitle}</h1>
<p class="lead">${text.underWay}</p>
${actions(buttonLink(stepAddress(asked), words.toBooking, true))}`,
    { language, status: 409, headers: { vary: "accept-language" } }
  )
}
