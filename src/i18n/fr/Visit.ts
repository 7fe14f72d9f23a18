/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in French. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Encore ${duration}`,
    lessThanAMinute: "Encore moins d’une minute",
    over: "Le délai est écoulé : veuillez recharger la page.",
    until: (moment) => `jusqu’au ${moment}`,
    untilToday: (time) => `jusqu’à ${time}`,
    yours: (time) => `(chez vous : ${time})`,
    local: "Toutes les heures sont à l’heure locale de l’établissement."
  }
}
