/** Links that open a visit in calendars on the web. They carry what the page says of it, and no token. */
import { type Language, messages } from "../../i18n/Languages.ts"
import { html, type Html } from "../../kernel/Html.ts"
import type { Visit } from "./Visit.ts"

/** `20261205T140000Z`. */
const compact = (instant: number): string => new Date(instant).toISOString().replaceAll(/[-:]|\.\d+/g, "")

/** `title` is what the calendar shows. */
export const webCalendars = (
  { ends_at, starts_at, terms }: Visit,
  title: string,
  language: Language
): ReadonlyArray<Html> => {
  const text = messages[language].calendars
  const location = `${terms.playroom_name}, ${terms.address}`
  const google = new URLSearchParams({
    action: "TEMPLATE",
    text: title,
    dates: `${compact(starts_at)}/${compact(ends_at)}`,
    location
  })
  const outlook = new URLSearchParams({
    path: "/calendar/action/compose",
    rru: "addevent",
    subject: title,
    startdt: new Date(starts_at).toISOString(),
    enddt: new Date(ends_at).toISOString(),
    location
  })
  return [
    html`<a href="https://calendar.google.com/calendar/render?${String(google)}" rel="noreferrer">${text.google}</a>`,
    html`<a href="https://outlook.live.com/calendar/0/deeplink/compose?${String(outlook)}" rel="noreferrer">${text.outlook}</a>`
  ]
}
