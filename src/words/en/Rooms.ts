/**
 * Messages of the pages that show playrooms to people without an assistant, in English. The compiler requires the same
 * messages of every language.
 */
export const rooms = {
  rooms: {
    title: "Playrooms",
    lead: "Look at rooms, prices, hours and terms here. Your assistant sees which times are free, and books.",
    titleIn: (city: string) => `Playrooms: ${city}`,
    all: "All playrooms",
    cities: "Cities",
    city: "City",
    find: "Find",
    noneIn: (city: string) => `No playroom is listed here for “${city}”.`,
    none: "No playroom is listed here at present.",
    next: "More playrooms",
    /** `party`: whom the price covers. */
    from: (amount: string, party: string) => `from ${amount} for ${party}`,
    withoutAdults: "without adults",
    lowest: (amount: string) => `from ${amount}`,
    upTo: (party: string) => `up to ${party}`,
    ages: (from: number, to: number) => (from === to ? `age ${from}` : `ages ${from} to ${to}`),
    /** Whether a package sells the whole room, or places in it. */
    modes: { exclusive: "The whole room is yours", shared: "Open play with other families" },
    packages: "What you can book",
    priceNote:
      "The price depends on the day, the time and your party. Your assistant names it exactly before you book.",
    varies: "Some of these prices differ by time or package.",
    hours: "Opening hours",
    quiet: "Quiet hours",
    hoursDiffer: "On some dates the hours differ.",
    closures: "Closed on these days",
    amenities: "What there is",
    accessibility: "Accessibility",
    photos: "Photos",
    /** Precedes the name of whoever runs the playroom. */
    runBy: "Run by",
    ask: "Ask your assistant",
    askHow: "Copy this, change what is different for you, and send it to your assistant:",
    request: (room: string, city: string, id: string) =>
      `I’d like to visit the playroom “${room}” in ${city} with 8 children next Saturday. Which times are free, and what does each cost? Use Playroom booking; the playroom’s id is ${id}.`,
    connect: "If it can’t book here yet, add this address to it as a connector:",
    connectHow: "How to connect your assistant",
    terms: "Payment and cancellation",
    payAll: "All of it is paid when you book.",
    payLater: "Nothing is paid when you book.",
    /** Of the deposit: the rest is paid later. */
    backOfRest: "What comes back of the rest if you cancel",
    /** A deadline before the start, as part of a sentence. */
    until: (duration: string) => `until ${duration} before the visit`,
    untilStart: "until the visit begins",
    back: (until: string, share: string) => `${until}: ${share}`,
    afterwards: (share: string) => `afterwards: ${share}`,
    headcount: (until: string) => `The number of children can be changed ${until}.`,
    growsOnly: "The party may grow, but not become smaller.",
    move: (until: string) => `Free to move to another time ${until}.`,
    released: (duration: string) =>
      `If the rest is still unpaid ${duration} after it was due, the places are released.`,
    /** There is no such playroom, or none that is listed. */
    missing: {
      title: "This playroom is not listed",
      lead: "It takes no bookings here at present, or the address is wrong.",
      more: "See which playrooms there are:"
    }
  }
}

export type Rooms = typeof rooms
