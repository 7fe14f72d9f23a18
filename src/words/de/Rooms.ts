/** Messages of the pages that show playrooms to people without an assistant, in German. */
import type { Rooms } from "../en/Rooms.ts"

export const rooms: Rooms = {
  rooms: {
    title: "Spielräume",
    lead: "Hier sehen Sie Räume, Preise, Öffnungszeiten und Bedingungen. Ihr Assistent sieht, welche Termine frei sind, und bucht.",
    titleIn: (city) => `Spielräume: ${city}`,
    all: "Alle Spielräume",
    cities: "Städte",
    city: "Stadt",
    find: "Suchen",
    noneIn: (city) => `Zu „${city}“ ist hier kein Spielraum aufgeführt.`,
    none: "Zurzeit ist hier kein Spielraum aufgeführt.",
    next: "Weitere Spielräume",
    from: (amount, party) => `ab ${amount} für ${party}`,
    withoutAdults: "ohne Erwachsene",
    lowest: (amount) => `ab ${amount}`,
    upTo: (party) => `bis zu ${party}`,
    ages: (from, to) => (from === to ? `${from} Jahre` : `${from} bis ${to} Jahre`),
    modes: { exclusive: "Der ganze Raum für Sie allein", shared: "Freies Spiel mit anderen Familien" },
    packages: "Das können Sie buchen",
    priceNote:
      "Der Preis hängt vom Tag, von der Uhrzeit und von Ihrer Gruppe ab. Ihr Assistent nennt ihn genau, bevor Sie buchen.",
    varies: "Einige dieser Preise sind je nach Zeit oder Paket verschieden.",
    hours: "Öffnungszeiten",
    quiet: "Ruhige Zeiten",
    hoursDiffer: "An einzelnen Tagen gelten andere Zeiten.",
    closures: "An diesen Tagen geschlossen",
    amenities: "Ausstattung",
    accessibility: "Barrierefreiheit",
    photos: "Fotos",
    runBy: "Betreiber:",
    ask: "Fragen Sie Ihren Assistenten",
    askHow: "Kopieren Sie diesen Text, ändern Sie, was bei Ihnen anders ist, und schicken Sie ihn Ihrem Assistenten:",
    request: (room, city, id) =>
      `Ich möchte nächsten Samstag mit 8 Kindern in den Spielraum „${room}“ in ${city}. Welche Termine sind frei, und was kostet jeder? Nimm dafür Playroom booking; die Id des Spielraums ist ${id}.`,
    connect: "Kann er hier noch nicht buchen, fügen Sie ihm diese Adresse als Connector hinzu:",
    connectHow: "So verbinden Sie Ihren Assistenten",
    terms: "Zahlung und Stornierung",
    payAll: "Bei der Buchung zahlen Sie den ganzen Betrag.",
    payLater: "Bei der Buchung zahlen Sie nichts.",
    backOfRest: "Erstattung vom Rest, wenn Sie stornieren",
    until: (duration) => `bis spätestens ${duration} vor dem Besuch`,
    untilStart: "bis zum Beginn des Besuchs",
    back: (until, share) => `${until}: ${share}`,
    afterwards: (share) => `danach: ${share}`,
    headcount: (until) => `Die Zahl der Kinder lässt sich ${until} ändern.`,
    growsOnly: "Die Gruppe kann größer werden, aber nicht kleiner.",
    move: (until) => `Kostenlos umbuchbar ${until}.`,
    released: (duration) =>
      `Ist der Rest nach der Fälligkeit so lange nicht bezahlt (${duration}), werden die Plätze wieder freigegeben.`,
    missing: {
      title: "Dieser Spielraum ist nicht aufgeführt",
      lead: "Er nimmt hier zurzeit keine Buchungen an, oder die Adresse stimmt nicht.",
      more: "Diese Spielräume gibt es:"
    }
  }
}
