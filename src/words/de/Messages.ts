/** All messages for people, in German. */
import type { Messages } from "../en/Messages.ts"
import { desk } from "./Desk.ts"
import { family } from "./Family.ts"
import { letters } from "./Letters.ts"
import { party } from "./Party.ts"
import { rooms } from "./Rooms.ts"
import { visit } from "./Visit.ts"

export const de: Messages = {
  locale: "de",
  words: {
    reference: "Buchungsnummer",
    visit: "Besuch",
    when: "Wann",
    price: "Preis",
    total: "Gesamt",
    paid: "Bezahlt",
    dueNow: "Jetzt zu zahlen",
    balance: "Später zu zahlen",
    refunded: "Erstattet",
    refunding: "Erstattung unterwegs",
    comesBack: "Erstattung",
    presented: (theirs, ours) => `Sie haben ${theirs} bezahlt (${ours}).`,
    together: "Zusammen gebucht",
    confirmed: "Bestätigt",
    cancelled: "Storniert",
    email: "E-Mail",
    children: { one: "# Kind", other: "# Kinder" },
    adults: { one: "# Erwachsener", other: "# Erwachsene" },
    ages: (ages) => `Alter: ${ages}`,
    pay: (amount) => `${amount} zahlen`,
    lookAgain: "Seite aktualisieren",
    toBooking: "Zurück zu Ihrer Buchung",
    leaveAsItIs: "So lassen",
    ownDevice: "ein Programm auf Ihrem eigenen Gerät",
    followedBy: (one, next) => `${one} ${next}`,
    backByBank:
      "Das Geld wird über Ihr ursprüngliches Zahlungsmittel erstattet, meist innerhalb von 5 bis 10 Werktagen.",
    backByVenue:
      "Das Geld kommt so zurück, wie es bezahlt wurde: vom Veranstalter selbst, oder es ist wieder auf Ihrem Gutschein.",
    backByBoth: (bank, venue) =>
      `${bank} werden über Ihr ursprüngliches Zahlungsmittel erstattet, meist innerhalb von 5 bis 10 Werktagen. Die übrigen ${venue} kommen so zurück, wie sie bezahlt wurden: vom Veranstalter selbst, oder sie sind wieder auf Ihrem Gutschein.`,
    backAfterDispute: (amount) =>
      `${amount} werden erst gesendet, wenn Ihre Bank über die angefochtene Zahlung entschieden hat, abzüglich dessen, was Sie von der Bank selbst zurückbekommen.`,
    backOnceOpen: (amount) =>
      `${amount} können noch nicht gesendet werden, weil das Konto des Veranstalters beim Zahlungsanbieter gerade geschlossen ist. Sobald es wieder offen ist, bekommen Sie das Geld zurück. Der Veranstalter weiß davon.`,
    comma: ", ",
    clock: (time) => `${time} Uhr`,
    bring: "Bitte mitbringen",
    askVenue: "Fragen Sie den Veranstalter:",
    askAtVenue: "Fragen Sie vor Ort:"
  },
  landing: {
    lead: "Ihr KI-Assistent findet hier einen Spielraum für Kinder, bucht ihn und gibt Ihnen einen Link zum Bezahlen.",
    how: "Er sieht, welche Spielräume zu Ihrer Gruppe passen, wann sie frei sind und was jeder Termin genau kostet. Der Termin, den Sie wählen, bleibt für Sie reserviert, während Sie bezahlen.",
    payment: "Sie bezahlen auf der Seite des Zahlungsanbieters. Ihr Assistent sieht Ihre Karte nie.",
    book: "Einen Besuch buchen",
    venuesHeading: "Sie betreiben einen Spielraum",
    venues:
      "Familien buchen Ihre Räume mit den Assistenten, die sie schon benutzen, zahlen auf Ihr eigenes Konto und buchen um oder stornieren nach Ihren Bedingungen. Auf einer eigenen Seite sehen Sie, wer wann kommt. Aufgenommen werden Sie von der Stelle, die diesen Dienst betreibt.",
    askHeading: "Das können Sie fragen",
    asks: [
      "„Finde für Samstagnachmittag einen Spielraum in der Nähe, für acht Kinder.“",
      "„Was kostet das, und was bekommen wir zurück, wenn wir absagen?“",
      "„Buche für uns den um 14 Uhr.“"
    ],
    connectHeading: "Ihren Assistenten verbinden",
    signInHeading: "Assistenten, in denen Sie sich anmelden",
    signIn:
      "Fügen Sie in den Einstellungen Ihres Assistenten einen Connector (manchmal „App“ oder „MCP-Server“ genannt) mit dieser Adresse hinzu. Dann fragt eine Seite von uns, ob Sie zustimmen.",
    signInWays: {
      guest: "Sie brauchen kein Konto und keinen Schlüssel.",
      key: "Dort fügen Sie Ihren API-Schlüssel ein.",
      both: "Sie brauchen kein Konto: Machen Sie als Gast weiter oder fügen Sie einen API-Schlüssel ein."
    },
    localOnly:
      "Diese Adresse gilt nur auf diesem Computer, und Assistenten im Web erreichen sie nicht: Sie brauchen eine öffentliche https-Adresse, wie sie ein Server oder ein Tunnel hat.",
    noSignIn:
      "Bei diesem Dienst kann man sich nicht anmelden. Assistenten, die keinen Schlüssel senden können, können hier also suchen, aber nicht buchen.",
    headerHeading: "Assistenten und Programme, die Ihren Schlüssel senden",
    header:
      "Geben Sie ihnen diese Adresse und Ihren Schlüssel im Header `X-API-Key`. Ersetzen Sie im kopierten Text `YOUR_KEY` durch den Schlüssel.",
    keyless:
      "Ohne Schlüssel können sie suchen und freie Zeiten sehen. Zum Buchen und Bezahlen brauchen sie einen: Sie bekommen ihn vom Betreiber dieses Dienstes.",
    inFile: (file) => `In \`${file}\`:`,
    inShell: "In einem Terminal:",
    bearerHeading: "Programme, die ein einziges Token senden",
    bearer: "Die Adresse ist dieselbe, und der Schlüssel ist das Bearer-Token:",
    knownHeading: "Was funktioniert, und woher wir es wissen",
    known:
      "„Ausprobiert“: Die Tests dieses Dienstes tun es. „Von Hand“: Diese Version haben wir selbst verbunden. „Laut Dokumentation“: Der Hersteller sagt, dass es geht; wir haben es nicht ausprobiert.",
    host: "Assistent",
    sends: "Verbindet sich mit",
    evidence: "Woher wir es wissen",
    ways: { header: "Schlüssel im Header", bearer: "Schlüssel als Token", sign_in: "Anmeldung" },
    tried: "ausprobiert",
    byHand: (version) => `von Hand, mit ${version}`,
    documented: "laut Dokumentation",
    more: "Für Entwickler",
    documentation: "Dokumentation",
    openapi: "OpenAPI-Dokument",
    health: "Systemstatus",
    onboarding: {
      done: "Vielen Dank. Der Betreiber dieses Dienstes sieht, ob der Zahlungsanbieter noch etwas braucht, und meldet sich bei Ihnen.",
      expired:
        "Dieser Link wurde schon benutzt oder ist abgelaufen. Bitten Sie den Betreiber dieses Dienstes um einen neuen."
    }
  },
  signIn: {
    title: (host) => `${host} verbinden?`,
    lead: (host) => `${host} möchte für Sie Spielräume finden und buchen und Ihnen Links zum Bezahlen geben.`,
    titleLocal: "Ein Programm auf Ihrem Gerät verbinden?",
    leadLocal:
      "Ein Programm auf Ihrem Gerät möchte für Sie Spielräume finden und buchen und Ihnen Links zum Bezahlen geben.",
    who: "Anfrage von",
    proven: "Diese Adresse ist bestätigt.",
    unproven: (name) => `Das Programm nennt sich „${name}“. Niemand hat diesen Namen geprüft.`,
    unprovenNameless: "Niemand hat geprüft, wer das ist.",
    backTo: "Danach geht es zurück zu",
    mayDo: "Was erlaubt wird",
    scopes: {
      "bookings:read": "Buchungen über diese Verbindung sehen und frühere, die Sie freigeben",
      "bookings:write": "Plätze in Spielräumen reservieren und buchen",
      "payments:write": "Links erstellen, über die Sie bezahlen. Selbst bezahlen kann es nicht."
    },
    notYou: "Haben Sie das nicht gerade selbst begonnen, lehnen Sie ab.",
    keyHeading: "Mit einem API-Schlüssel",
    keyLabel: "API-Schlüssel",
    keyNote: "Die Verbindung handelt mit diesem Schlüssel, bis er abläuft oder Sie die Verbindung beenden.",
    keyButton: "Mit diesem Schlüssel verbinden",
    guestHeading: "Als Gast",
    guestNote:
      "Sie brauchen kein Konto. Zu sehen sind Buchungen über diese Verbindung und frühere, wenn Buchungsnummer und E-Mail-Adresse genannt werden.",
    linkLabel: "Link der Buchungsseite (freiwillig)",
    linkNote:
      "Schon gebucht? Mit dem Link der Seite Ihrer Buchung kann der Assistent mit dieser Buchung weitermachen, als hätte er sie selbst vorgenommen.",
    guestButton: "Als Gast verbinden",
    refuse: "Ablehnen",
    keyMissing: "Fügen Sie einen API-Schlüssel ein.",
    keyWrong: "Dieser API-Schlüssel ist falsch oder abgelaufen.",
    keyAllowsNothing: "Dieser API-Schlüssel erlaubt nichts von dem, was gewünscht wird.",
    linkWrong:
      "Zu diesem Link gibt es keine Buchung, oder er ist abgelaufen. Kopieren Sie ihn von der Seite Ihrer Buchung, oder lassen Sie das Feld leer.",
    tooManyTries:
      "Zu viele Versuche über Ihren Internetanschluss. Warten Sie eine Minute und versuchen Sie es dann erneut.",
    tooManyGuests:
      "Über Ihren Internetanschluss haben sich in der letzten Stunde schon sehr viele Gäste verbunden. Versuchen Sie es in einer Stunde erneut, oder nutzen Sie einen anderen Anschluss, zum Beispiel mobile Daten statt WLAN.",
    noCookieTitle: "Ihr Browser hat kein Cookie gespeichert",
    noCookie:
      "Diese Seite braucht ein Cookie, um zu wissen, dass Sie es sind. Erlauben Sie Cookies für diese Seite oder öffnen Sie den Link in Ihrem üblichen Browser.",
    decidedTitle: "Sie haben schon geantwortet",
    decided:
      "Kehren Sie zu Ihrem Assistenten zurück, dort geht es weiter. Falls er nicht verbunden ist, verbinden Sie ihn von dort aus noch einmal.",
    expiredTitle: "Diese Seite ist abgelaufen",
    expired: "Sie war zu lange offen.",
    errorTitle: "Das lässt sich nicht verbinden",
    error: "Die Anfrage des Programms lässt sich nicht erfüllen. Wer es entwickelt hat, findet hier den Grund:",
    unavailable: "Der Dienst kann gerade nicht antworten. Versuchen Sie es gleich noch einmal.",
    startAgain: "Gehen Sie zurück zu Ihrem Assistenten und verbinden Sie erneut."
  },
  publisher: {
    privacy: "Datenschutz",
    terms: "Nutzungsbedingungen",
    support: "Hilfe"
  },
  linkProblems: {
    nothing: {
      title: "Diese Seite gibt es nicht",
      lead: "Die Adresse stimmt nicht, oder die Seite wurde entfernt.",
      more: "Prüfen Sie, ob die Adresse vollständig ist, oder gehen Sie zur Startseite:"
    },
    broken: {
      title: "Da ist etwas schiefgegangen",
      lead: "Der Fehler liegt bei uns und wurde aufgezeichnet.",
      more: "Bitte versuchen Sie es gleich noch einmal."
    },
    dead: {
      title: "Dieser Link funktioniert nicht mehr",
      lead: "Er ist unvollständig, wurde durch einen neuen ersetzt oder ist zu alt.",
      more: "Prüfen Sie, ob die ganze Adresse kopiert wurde. Wenn ja, fragen Sie Ihren Assistenten oder den Veranstalter nach dem aktuellen Link."
    },
    invitation: {
      title: "Diese Einladung gilt nicht mehr",
      lead: "Der Besuch wurde abgesagt, oder der Link wurde durch einen neuen ersetzt.",
      more: "Fragen Sie bitte die Person, die Sie eingeladen hat."
    },
    deskInvitation: {
      title: "Dieser Link zum Empfang gilt nicht mehr",
      lead: "Er wurde benutzt, durch einen neuen abgelöst oder beendet, er ist zu alt, oder wer ihn erstellt hat, gehört nicht mehr zur Leitung.",
      more: "Haben Sie Ihren Passkey erstellt, melden Sie sich damit an. Sonst bitten Sie die Leitung des Empfangs um einen neuen Link."
    },
    unavailable: {
      title: "Die Seite lässt sich gerade nicht anzeigen",
      lead: "Es ist nichts verloren gegangen.",
      more: "Bitte laden Sie die Seite gleich noch einmal: Dann zeigt sie den aktuellen Stand."
    },
    tooMany: {
      title: "Zu viele Anfragen",
      lead: "Aus Ihrem Netz wurden innerhalb einer Minute sehr viele Seiten abgerufen.",
      more: "Bitte warten Sie eine Minute und laden Sie die Seite dann noch einmal."
    },
    unreadable: {
      title: "Das Formular ließ sich nicht lesen",
      lead: "Es kam unvollständig an, und es hat sich nichts geändert.",
      more: "Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular noch einmal."
    }
  },
  operator: {
    visits: { one: "# Besuch", other: "# Besuche" },
    noVisits: "An diesem Tag kommt niemand.",
    unsureToo: (held) => `davon noch nicht bestätigt: ${held}`,
    days: "Tage",
    today: "Heute",
    weekBefore: "Woche davor",
    weekAfter: "Woche danach",
    nextVisit: (date) => `Nächster Besuch: ${date}`,
    misunderstood:
      "Die Adresse nennt einen Tag oder eine Stelle der Liste, die es nicht gibt. Sie sehen stattdessen diesen Tag.",
    prepare: "Vorzubereiten",
    closed: "Geschlossen",
    alsoBooked: (reference) => `Dieselbe Familie hat dann noch eine Buchung: ${reference}`,
    blocked: { closed: "In der Schließzeit", overbooked: "Mehr als vorhanden" },
    blockedToo: (visits) => `davon zu entscheiden: ${visits}`,
    visitsBlocked: {
      one: "# Besuch liegt in der Schließzeit oder hat mehr, als noch vorhanden ist. Er findet statt, solange er nicht umgebucht oder storniert wird.",
      other:
        "# Besuche liegen in der Schließzeit oder haben mehr, als noch vorhanden ist. Sie finden statt, solange sie nicht umgebucht oder storniert werden."
    },
    otherCalendar: (calendar) => `belegt im Kalender „${calendar}“`,
    allDay: "ganztägig",
    unsure: "Noch nicht bestätigt",
    keptUntil: (time) => `Noch nicht bezahlt: reserviert bis ${time}.`,
    inQuestion: "Eine Zahlung ist nicht die verlangte und wird geprüft: Nehmen Sie dafür kein Geld an.",
    onItsWay: "Die Zahlung ist unterwegs.",
    extras: "Extras",
    notes: "Hinweise",
    toPay: (amount) => `Noch zu zahlen: ${amount}`,
    toDo: "Zu erledigen",
    /** What the operator can act on, by the kind of notice. */
    notices: {
      paid_back: (amount: string, reference: string) =>
        `Für die Buchung ${reference} wurde alles erstattet (${amount}), und die Plätze sind weiter belegt: Entscheiden Sie, ob der Besuch stattfindet.`,
      balance_overdue: (amount: string, reference: string) =>
        `${amount} der Buchung ${reference} sind überfällig: Erinnern Sie die Familie, oder nehmen Sie das Geld vor Ort entgegen.`,
      unpaid_after_visit: (amount: string, reference: string) =>
        `Der Besuch der Buchung ${reference} ist vorbei, und ${amount} sind nicht bezahlt: Tragen Sie die Zahlung ein, wenn Sie das Geld haben, oder fordern Sie es von der Familie an.`,
      refund_failed: (amount: string, reference: string) =>
        `Die Erstattung von ${amount} für die Buchung ${reference} ist gescheitert: Vereinbaren Sie mit der Familie, wie sie das Geld bekommt.`,
      refund_waits_for_money: (amount: string, reference: string) =>
        `Die Erstattung von ${amount} für die Buchung ${reference} wartet auf Geld: Füllen Sie Ihr Guthaben beim Zahlungsanbieter auf.`,
      refund_waits_for_dispute: (amount: string, reference: string) =>
        `Die Erstattung von ${amount} für die Buchung ${reference} wartet auf die Entscheidung über eine Zahlungsanfechtung: Antworten Sie darauf im Dashboard des Zahlungsanbieters.`,
      refund_at_venue: (amount: string, reference: string) =>
        `Zahlen Sie ${amount} selbst zurück: Für die Buchung ${reference} wurde vor Ort bezahlt, und die Erstattung steht fest.`,
      disputed: (amount: string, reference: string) =>
        `Die Zahlung von ${amount} für die Buchung ${reference} wird bei der Bank angefochten: Antworten Sie im Dashboard des Zahlungsanbieters.`,
      dispute_lost: (amount: string, reference: string) =>
        `Die Anfechtung von ${amount} der Buchung ${reference} wurde gegen Sie entschieden, und die Familie hat das Geld zurück: Entscheiden Sie, ob der Besuch stattfindet, falls er nicht storniert wurde. Hatten Sie es auch erstattet, hat die Familie es doppelt.`,
      dispute_won: (amount: string, reference: string) =>
        `Die Anfechtung von ${amount} der Buchung ${reference} wurde doch noch zu Ihren Gunsten entschieden, und Sie haben das Geld wieder: Wurde der Besuch storniert, fragen Sie die Familie, ob sie neu buchen möchte.`
    },
    accountClosed: (since) =>
      `Ihr Konto beim Zahlungsanbieter nimmt seit ${since} keine Zahlungen an: Neue Buchungen sind nicht möglich. Melden Sie sich dort an und beantworten Sie, was gefragt wird; sobald es Zahlungen annimmt, kann wieder gebucht werden.`,
    calendarNotices: {
      notRead: (calendar, playroom, since) =>
        `Der Kalender „${calendar}“ von ${playroom} wurde seit ${since} nicht gelesen: Was dort später eingetragen wurde, ist hier nicht gesperrt. Prüfen Sie seine Adresse.`,
      eventNotRead: (calendar, playroom) =>
        `Der Kalender „${calendar}“ von ${playroom} hat einen Eintrag, der nicht ganz verstanden wird: Prüfen Sie, ob seine Zeiten hier gesperrt sind.`,
      booking: (reference, playroom, calendar) =>
        `Die Buchung ${reference} hat ${playroom} zu einer Zeit, die im Kalender „${calendar}“ belegt ist: Ist es dieselbe Feier, schreiben Sie die Buchungsnummer in den Titel des Eintrags; sonst buchen Sie eine von beiden um.`
    },
    allGivenBack: "Alles wurde erstattet, der Besuch ist nicht storniert: Findet er statt?",
    overdue: (amount, since) => `Noch zu zahlen: ${amount}, fällig seit ${since}`,
    givenBack: "Bezahlt, und Geld wurde erstattet",
    nothingToPay: "Nichts zu zahlen",
    more: "Weitere Besuche dieses Tages",
    fromStart: "Vom Anfang des Tages",
    calendar: "In Ihrem Kalender",
    calendarLead:
      "Ihr Kalender kann diese Besuche immer aktuell anzeigen. Wenn die Schaltfläche nichts bewirkt, abonnieren Sie diese Adresse:",
    subscribe: "Abonnieren",
    secret:
      "Wer die Adresse dieser Seite oder des Kalenders hat, sieht die Namen Ihrer Gäste. Geben Sie beide nur an Ihr Team weiter.",
    calendarName: (operator) => `Besuche: ${operator}`,
    phone: "Telefon",
    erased: "Name gelöscht"
  },
  card: {
    title: "Spielraum buchen",
    waiting: "Warten auf die Antwort …",
    working: "Einen Moment …",
    stopped: "Die Anfrage wurde abgebrochen.",
    chooseTime: "Zeit wählen",
    timesLeft: "Zeiten",
    noTimes: "Keine freien Zeiten",
    nextDay: (day) => `Der nächste freie Tag ist ${day}.`,
    placesLeft: { one: "noch # Platz", other: "noch # Plätze" },
    dueNowOf: (amount) => `jetzt ${amount}`,
    noRefund: "Bei einer Stornierung wird der jetzt fällige Betrag nicht erstattet.",
    refundUntil: (amount, moment) => `Bei einer Stornierung bis ${moment} werden ${amount} erstattet.`,
    bookThis: "Diese Zeit buchen",
    moreTimes: "Mehr Zeiten",
    otherTimes: "Andere Zeiten",
    details: "Wer bucht?",
    name: "Name",
    nameMissing: "Bitte einen Namen eingeben.",
    emailWrong: "Bitte eine E-Mail-Adresse eingeben, etwa ana@example.com.",
    freeHold: "Die Plätze werden dann reserviert. Ohne Zahlung verfällt die Buchung und kostet nichts.",
    book: "Buchen",
    back: "Zurück",
    refresh: "Aktualisieren",
    balanceBy: (amount, day) => `${amount} bis ${day}`,
    balanceAtVenue: (amount) => `${amount} vor Ort`,
    allPaidBack: "Erstattet: Bitte nachfragen",
    held: "Für Sie reserviert",
    expired: "Nicht mehr reserviert",
    processing: "Zahlung unterwegs",
    payment: "Zahlung",
    timeLeft: "Zeit zum Bezahlen",
    payOpened: "Die Zahlungsseite ist geöffnet. Kommen Sie nach der Zahlung hierher zurück.",
    bookingPage: "Die Seite Ihrer Buchung",
    pageOpened: "Die Seite Ihrer Buchung ist geöffnet. Was Sie dort ändern, sehen Sie hier, wenn Sie zurückkommen.",
    openYourself: "Die Seite ließ sich von hier nicht öffnen. Öffnen Sie diese Adresse:",
    unchanged: "Es hat sich noch nichts geändert.",
    notPassedOn:
      "Ihr Assistent hat das nicht weitergegeben. Versuchen Sie es noch einmal, oder bitten Sie ihn im Chat darum.",
    rateLimited: (n) => `Zu viele Anfragen. Versuchen Sie es in ${n} Sekunden noch einmal.`,
    near: "Ähnliche Zeiten:",
    reasons: {
      closed: "Der Spielraum ist dann geschlossen.",
      not_sold_on_these_days: "An diesen Tagen bietet der Spielraum das nicht an.",
      fully_booked: "Dann sind alle Plätze vergeben.",
      add_ons_taken: "Die Extras sind dann anderswo vergeben oder außer Betrieb. Ohne sie ist der Raum frei.",
      too_soon: "Das ist zu kurzfristig für diesen Spielraum.",
      too_far_ahead: "So weit im Voraus nimmt der Spielraum keine Buchungen an.",
      party_too_large: "Die Gruppe ist für diesen Spielraum zu groß.",
      party_too_small: "Die Gruppe ist für diesen Spielraum zu klein.",
      in_the_past: "Dieser Tag ist vorbei.",
      outside_your_times: "Zu diesen Uhrzeiten ist nichts frei."
    },
    errors: {
      api_key_missing:
        "Diese Verbindung kann Zeiten zeigen, aber nicht buchen. Wer sie eingerichtet hat, muss einen API-Schlüssel eintragen.",
      api_key_invalid:
        "Der API-Schlüssel dieser Verbindung ist ungültig. Wer sie eingerichtet hat, muss einen anderen eintragen.",
      api_key_scope:
        "Der API-Schlüssel dieser Verbindung erlaubt das nicht. Wer sie eingerichtet hat, muss einen passenden eintragen.",
      invalid_arguments: "Eine Angabe wurde nicht angenommen. Prüfen Sie sie, und versuchen Sie es noch einmal.",
      playroom_not_found: "Diesen Spielraum gibt es hier nicht mehr. Fragen Sie Ihren Assistenten nach einem anderen.",
      package_not_found: "Dieses Angebot gibt es nicht mehr. Sehen Sie sich andere Zeiten an.",
      booking_not_found: "Über diese Verbindung ist die Buchung nicht zu sehen. Fragen Sie den Veranstalter.",
      option_invalid: "Diese Zeit wird nicht mehr angeboten. Sehen Sie sich andere Zeiten an.",
      price_changed:
        "Preis, Zeit oder Bedingungen haben sich geändert, deshalb wurde nichts gebucht. Das Angebot ist jetzt:",
      slot_unavailable: "Es wurde nichts gebucht. Sehen Sie sich andere Zeiten an.",
      hold_expired: "Die Zeit zum Bezahlen ist abgelaufen. Sehen Sie sich andere Zeiten an.",
      booking_cancelled: "Diese Buchung ist storniert und kann nicht bezahlt werden. Sehen Sie sich andere Zeiten an.",
      nothing_due: "Zurzeit ist nichts zu zahlen. Aktualisieren Sie, um die Buchung zu sehen.",
      operator_unavailable:
        "Dieser Spielraum nimmt zurzeit keine Buchungen oder Zahlungen an. Fragen Sie Ihren Assistenten nach einem anderen.",
      idempotency_conflict:
        "Das wurde schon mit anderen Angaben angefragt. Bitten Sie Ihren Assistenten, es noch einmal zu versuchen.",
      already_booked:
        "Das haben Sie bereits in einem anderen Chat gebucht. Es wurde nichts weiter gebucht. Nennen Sie dem Assistenten die Buchungsnummer aus Ihrer Bestätigung und Ihre E-Mail-Adresse, oder öffnen Sie den Link Ihrer Buchung.",
      too_many_holds:
        "Es wurde nichts gebucht: Derzeit sind zu viele Buchungen unbezahlt. Wenn eine davon Ihre ist, bezahlen oder stornieren Sie sie. Versuchen Sie es sonst in ein paar Minuten erneut, oder wählen Sie einen anderen Tag.",
      payment_provider_unavailable:
        "Die Zahlungsseite lässt sich zurzeit nicht öffnen. Es wurde nichts abgebucht. Versuchen Sie es in einigen Minuten noch einmal.",
      service_unavailable: "Der Buchungsdienst antwortet zurzeit nicht. Versuchen Sie es in einer Minute noch einmal.",
      internal_error:
        "Im Buchungsdienst ist etwas schiefgegangen. Versuchen Sie es noch einmal, oder fragen Sie Ihren Assistenten."
    }
  },
  ...desk,
  ...family,
  ...letters,
  ...party,
  ...rooms,
  ...visit
}
