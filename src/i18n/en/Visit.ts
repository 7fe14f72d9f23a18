/**
 * Messages around a visit: deadlines, calendars, the invitation and the receipt, in English. The compiler requires the
 * same messages of every language.
 */
export const visit = {
  deadlines: {
    left: (duration: string) => `${duration} left`,
    lessThanAMinute: "Less than a minute left",
    over: "The time is over: please load the page again.",
    until: (moment: string) => `until ${moment}`,
    /** The same with a clock time only. */
    untilToday: (time: string) => `until ${time}`,
    /** The same moment on the reader's own clock. */
    yours: (time: string) => `(your time ${time})`,
    local: "All times are the venue’s local time."
  }
}

export type Visit = typeof visit
