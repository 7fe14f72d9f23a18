/** Nachrichten der Briefe an Familien und der Seiten dazu, auf Deutsch. */
import type { Letters } from "../en/Letters.ts"

export const letters: Letters = {
  letters: {
    changed: {
      heading: "Ihre Buchung wurde geändert",
      lead: "Das ist der aktuelle Stand."
    },
    before: "Bisher",
    now: "Neu",
    balanceDue: {
      heading: "Bald ist eine Zahlung fällig",
      lead: ({ amount, online, until }) =>
        online
          ? `Bis ${until} sind noch ${amount} zu zahlen. Das geht auf der Seite Ihrer Buchung.`
          : `Bis ${until} sind noch ${amount} zu zahlen: vor Ort.`
    },
    visit: { heading: "Ihr Besuch steht bevor", lead: (when: string) => `Wir freuen uns auf Sie: ${when}.` },
    refundFailed: {
      heading: "Eine Erstattung kam nicht an",
      lead: (amount: string) =>
        `${amount} konnten Ihnen nicht erstattet werden: Ihre Bank oder Karte hat das Geld nicht angenommen. Es steht Ihnen weiterhin zu. Bitte fragen Sie den Veranstalter, wie Sie es erhalten.`
    },
    sentBack: "Eine Zahlung geht an Sie zurück",
    link: {
      heading: "Der Link zu Ihrer Buchung",
      lead: "Jemand, wahrscheinlich Sie selbst, hat den Link zur Seite dieser Buchung angefordert.",
      unasked: "Falls Sie das nicht waren, müssen Sie nichts tun: Der Link ging nur an diese Adresse."
    },
    booked: { heading: "Ihre Buchung", lead: "Der Veranstalter hat das für Sie gebucht." },
    readdressed: {
      heading: "Die E-Mail-Adresse einer Buchung wurde korrigiert",
      lead: "E-Mails zu dieser Buchung gehen ab jetzt an eine andere Adresse. Links aus früheren E-Mails öffnen nichts mehr.",
      unasked: "Ist es Ihre Buchung, und Sie wollten das nicht? Dann sagen Sie es bitte dem Veranstalter."
    },
    fromVenue: {
      heading: "Eine Nachricht des Veranstalters",
      lead: "Der Veranstalter schreibt Ihnen zu Ihrer Buchung:"
    },
    placesBack: {
      heading: "Plätze sind frei geworden",
      lead: "Sie stehen auf der Warteliste: Diese Plätze sind jetzt für Sie reserviert."
    },
    placesLapse:
      "Sie möchten sie nicht mehr? Dann brauchen Sie nichts zu tun: Die Plätze gehen an die nächste Familie, und Sie stehen nicht mehr auf der Liste.",
    openPage: "Seite Ihrer Buchung öffnen",
    entry: "Der angehängte Kalendereintrag enthält Ort und Zeit.",
    newEntry: "Der angehängte Kalendereintrag ersetzt Ihren bisherigen.",
    entryRemoved:
      "Der angehängte Kalendereintrag entfernt Ihren bisherigen. Steht er danach noch in Ihrem Kalender, löschen Sie ihn dort bitte.",
    why: (reference: string) =>
      `Sie erhalten diese E-Mail, weil diese Adresse für die Buchung ${reference} angegeben wurde.`,
    secret: "Wer den Link in dieser E-Mail hat, kann die Buchung sehen und ändern: Behalten Sie ihn für sich.",
    stop: "Erinnerungen abbestellen"
  },
  waiting: {
    title: "Warteliste",
    lead: "Diese Plätze sind vergeben. Möchten Sie sie, wenn sie wieder frei werden?",
    how: (time) =>
      `Plätze, die frei werden, sind für eine Familie nach der anderen reserviert, jeweils ${time} lang. Eine E-Mail sagt es ihr, mit dem Link zum Bezahlen. Wer nicht rechtzeitig zahlt, steht nicht mehr auf der Liste.`,
    join: "Auf die Warteliste",
    full: "Auf dieser Liste ist für Sie jetzt kein Platz: Sie ist voll, oder diese E-Mail-Adresse wartet schon auf fünf Besuche.",
    freeTitle: "Es gibt Plätze",
    free: "Sie brauchen nicht zu warten: Diese Plätze können jetzt gebucht werden.",
    noneTitle: "Hier gibt es keine Warteliste",
    none: "Auf diesen Besuch kann niemand warten: Er ist zu nah, wird so nicht mehr angeboten, oder der Veranstalter hat keine Warteliste.",
    onTitle: "Sie stehen auf der Warteliste",
    on: (email) => `Wenn die Plätze frei werden, geht eine E-Mail an ${email}.`,
    leave: "Von der Liste streichen",
    offTitle: "Sie stehen nicht auf der Warteliste",
    off: "Sie haben sich gestrichen, oder es wurden Plätze für Sie reserviert: Dann steht deren Link in einer E-Mail."
  },
  reminders: {
    title: "Erinnerungen abbestellen?",
    lead: "Sie erhalten dann an diese Adresse keine Erinnerungen an Zahlungen und Besuche mehr. E-Mails zu Änderungen und Erstattungen kommen weiterhin.",
    stop: "Erinnerungen abbestellen",
    stoppedTitle: "Erinnerungen abbestellt",
    stoppedLead: "An diese Adresse werden keine Erinnerungen mehr gesendet.",
    resume: "Erinnerungen wieder senden"
  },
  findBooking: {
    title: "Buchung wiederfinden",
    lead: "Geben Sie die Buchungsnummer und die E-Mail-Adresse Ihrer Buchung ein. Der Link geht dann an diese Adresse.",
    email: "E-Mail-Adresse",
    send: "Link senden",
    wrong: "Geben Sie eine Buchungsnummer wie K7M2-9QXD und eine E-Mail-Adresse ein.",
    tooOften:
      "Aus Ihrem Netz wurde diese Buchungsnummer zu oft eingegeben. Bitte versuchen Sie es in einer Stunde noch einmal.",
    sentTitle: "Sehen Sie in Ihrem Postfach nach",
    sentLead:
      "Wenn es diese Buchung gibt, ist der Link unterwegs an die E-Mail-Adresse der Buchung. Das dauert höchstens einige Minuten.",
    sentMore: "Nichts gekommen? Prüfen Sie Buchungsnummer und Adresse, und sehen Sie im Spam-Ordner nach.",
    again: "Noch einmal versuchen",
    askLead: "Dieser Dienst versendet keine E-Mails.",
    ask: "Fragen Sie den Veranstalter nach dem Link zu Ihrer Buchung: Er braucht die Buchungsnummer und Ihren Namen. Oder fragen Sie den Assistenten, mit dem Sie gebucht haben."
  }
}
