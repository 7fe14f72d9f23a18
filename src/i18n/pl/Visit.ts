/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in Polish. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Pozostało: ${duration}`,
    lessThanAMinute: "Pozostało mniej niż minuta",
    over: "Czas minął: wczytaj stronę ponownie.",
    until: (moment) => `do: ${moment}`,
    untilToday: (time) => `do ${time}`,
    yours: (time) => `(u Ciebie ${time})`,
    local: "Wszystkie godziny podajemy w czasie lokalnym miejsca wizyty."
  }
}
