/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in Spanish. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Tiempo restante: ${duration}`,
    lessThanAMinute: "Queda menos de un minuto",
    over: "Se ha acabado el tiempo: vuelva a cargar la página.",
    until: (moment) => `hasta el ${moment}`,
    untilToday: (time) => `hasta las ${time}`,
    yours: (time) => `(en su hora: ${time})`,
    local: "Todas las horas son las del lugar de la visita."
  }
}
