/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in German. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Noch ${duration}`,
    lessThanAMinute: "Noch weniger als eine Minute",
    over: "Die Zeit ist abgelaufen: Bitte laden Sie die Seite neu.",
    until: (moment) => `bis ${moment}`,
    untilToday: (time) => `bis ${time}`,
    yours: (time) => `(bei Ihnen ${time} Uhr)`,
    local: "Alle Zeiten sind Ortszeit des Veranstalters."
  }
}
