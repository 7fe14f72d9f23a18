/** Messages for families about their bookings, in German. */
import type { Family } from "../en/Family.ts"
import { standingMessage } from "../Message.ts"

export const family: Family = {
  booking: {
    what: "Was",
    where: "Wo",
    who: "Wer",
    bookedBy: "Gebucht von",
    notes: "Ihre Wünsche",
    quantity: "Anzahl",
    amount: "Betrag",
    lines: {
      children: "Kinder",
      extraChildren: "Weitere Kinder",
      adults: "Erwachsene",
      extraAdults: "Weitere Erwachsene",
      billedAs: (n) => `berechnet werden ${n}`,
      tax: (percent) => `Steuer (${percent})`,
      waived: "Nicht berechnet (Kleinbetrag)",
      agreed: "Wie bisher vereinbart"
    },
    tax: (percent, amount, included) => `${included ? `inkl. ${percent} MwSt.` : `zzgl. ${percent} Steuer`}: ${amount}`,
    by: (when) => `bis ${when}`,
    atVenue: "vor Ort",
    terms: "Wenn sich Ihre Pläne ändern",
    rules: "Hausregeln",
    questions: "Fragen",
    payNote: "Sie zahlen auf der Seite des Zahlungsanbieters und kommen dann hierher zurück.",
    payBalance: (amount) => `Rest zahlen: ${amount}`,
    calendar: "In den Kalender eintragen",
    calendarUpdate: "Kalender aktualisieren",
    disputed:
      "Eine Zahlung dieser Buchung wird bei der Bank angefochten. Solange die Bank nicht entschieden hat, wird nichts weiter erstattet.",
    unclear:
      "Eine Zahlung dieser Buchung ließ sich nicht wie üblich verbuchen; es kümmert sich jemand darum. Wenn hier etwas nicht stimmt, fragen Sie den Veranstalter.",
    sentBack: (amount, arrived) =>
      `Eine Zahlung von ${amount} war nicht die verlangte und ${arrived ? "wurde" : "wird"} Ihnen auf demselben Weg erstattet.`,
    secret: "Wer die Adresse dieser Seite hat, kann die Buchung sehen und ändern: Behalten Sie sie für sich.",
    underWayTitle: "Diese Buchung wird gerade geändert",
    underWay:
      "Eine andere Änderung dieser Buchung läuft noch. Deshalb wurde nichts geändert. Bitte versuchen Sie es in einer Minute noch einmal.",
    faults: {
      changed: "Hier ist gerade nichts zu zahlen. Das ist der aktuelle Stand der Buchung.",
      stale: "Inzwischen hat sich etwas geändert. Es wurde nichts abgebucht. Das ist der aktuelle Stand der Buchung.",
      operator:
        "Der Veranstalter kann gerade keine Online-Zahlungen annehmen. Bitte fragen Sie ihn. Es wurde nichts abgebucht.",
      provider:
        "Die Zahlungsseite ist gerade nicht erreichbar. Bitte versuchen Sie es in einer Minute noch einmal. Es wurde nichts abgebucht."
    }
  },
  /** The page where a booking can be paid and nothing else. */
  payPage: {
    title: "Buchung bezahlen",
    /** Precedes the operator's name. */
    payee: "Sie zahlen an",
    thenConfirmed: "Mit der Zahlung ist die Buchung bestätigt.",
    thenPaid: "Danach ist alles bezahlt."
  },
  cancel: {
    title: "Diese Buchung stornieren?",
    nothingPaid: "Nichts, denn es wurde nichts bezahlt.",
    all: (refund) => `Alles, was Sie bezahlt haben: ${refund}.`,
    part: (refund, paid) => `${refund} von den ${paid}, die Sie bezahlt haben.`,
    none: (paid) => `Nichts: Die gezahlten ${paid} werden nicht erstattet.`,
    wentBackBefore: (amount) => `${amount} wurden Ihnen bereits erstattet.`,
    nothingMore: "Mehr wird nicht erstattet.",
    alreadyOnItsWay: (amount) => `Die Erstattung von ${amount} ist bereits unterwegs.`,
    stillArrives: "Trifft noch eine Zahlung von Ihnen ein, wird sie vollständig erstattet.",
    notAsked:
      "Wir konnten den Zahlungsanbieter gerade nicht fragen, ob Ihnen ein Teil schon erstattet wurde. Wir fragen ihn vor der Erstattung; sie fällt dann entsprechend kleiner aus.",
    places: "Ihre Plätze werden sofort wieder für andere frei. Das lässt sich nicht rückgängig machen.",
    cancel: "Buchung stornieren",
    keep: "Buchung behalten",
    changed: "Es wurde nichts storniert: Inzwischen hat sich etwas geändert. Das ist der aktuelle Stand.",
    begunTitle: "Ihr Besuch hat begonnen",
    begun: "Er lässt sich hier nicht mehr stornieren."
  },
  move: {
    move: "Termin umbuchen",
    chooseDay: "Einen anderen Tag wählen",
    chooseTime: "Eine Uhrzeit wählen",
    now: (when) => `Ihr Besuch ist am ${when}.`,
    rule: (until) =>
      `Bis ${until} können Sie selbst auf einen dieser Termine umbuchen. Kostet ein Termin mehr oder weniger, steht der Preis daneben.`,
    times: { one: "# Termin", other: "# Termine" },
    noneIn: (month) => `Im ${month} ist für Ihre Gruppe nichts frei.`,
    noneOn: (day) => `Am ${day} ist für Ihre Gruppe nichts frei.`,
    months: "Monate",
    anotherDay: "Ein anderer Tag",
    title: "Auf diesen Termin umbuchen?",
    from: "Bisher",
    to: "Neu",
    stays: (total) => `Unverändert: ${total}.`,
    waived: (amount) => `Die Differenz von ${amount} ist zu gering, um sie abzubuchen: Sie zahlen sie nicht.`,
    goodwill: (amount) => `${amount} wurden aus Kulanz erstattet. Dabei bleibt es; hier zählt das nicht mit.`,
    instead: (total, before) => `${total} statt ${before}.`,
    more: (amount) => `${amount} mehr als bisher.`,
    less: (amount) => `${amount} weniger als bisher.`,
    nothingBack: "Nichts, denn Sie haben nicht mehr als den neuen Preis bezahlt.",
    counted: (when) =>
      `Für die Erstattung bei einer Stornierung zählt der Termin am ${when}: Durch das Umbuchen wird sie nicht höher.`,
    confirm: "Jetzt umbuchen",
    anotherTime: "Andere Uhrzeit",
    changed: "Es wurde nichts umgebucht: Inzwischen hat sich etwas geändert. Das ist der aktuelle Stand.",
    tooMany:
      "Es wurde nichts umgebucht: An diesem Tag gibt es schon so viele kostenlose oder unbezahlte Buchungen wie möglich. Wählen Sie einen anderen Tag, oder fragen Sie den Veranstalter.",
    gone: "Es wurde nichts umgebucht: Dieser Termin ist nicht mehr frei. Das sind die freien Termine.",
    sorryTitle: "Umbuchen ist hier gerade nicht möglich",
    notFree: "Nach den Bedingungen Ihrer Buchung ist das Umbuchen jetzt nicht kostenlos.",
    begun: "Ihr Besuch hat begonnen.",
    payment:
      "Eine Zahlung für diese Buchung ist offen oder unterwegs. Versuchen Sie es noch einmal, wenn sie angekommen ist, oder in einer halben Stunde.",
    refund: "Eine Erstattung ist unterwegs. Versuchen Sie es noch einmal, wenn sie angekommen ist.",
    otherCurrency:
      "Die Preise hier sind jetzt in einer anderen Währung als Ihre Buchung, deshalb lässt sie sich nicht umbuchen. Sie können sie stornieren und neu buchen.",
    notSold: "Andere Termine können jetzt nicht gebucht werden."
  },
  access: {
    saidName: (name) => `Nennt sich selbst „${name}“.`,
    unconfirmed: "Niemand hat bestätigt, wer das ist.",
    bookedThrough: "Gebucht über",
    ended: "Der Zugriff ist beendet.",
    end: "Zugriff beenden",
    title: (who) => `Zugriff von ${who} beenden?`,
    lead: "Danach sind über diese Verbindung keine Buchungen und Zahlungen mehr möglich. Um den Assistenten wieder zu nutzen, verbinden Sie ihn neu.",
    joined: "Weitere Assistenten mit Zugriff",
    since: (date) => `Seit ${date}.`,
    mayChange: "Er kann diese Buchung sehen, ändern und bezahlen.",
    mayPay: "Er kann diese Buchung sehen und bezahlen.",
    remove: "Zugriff entziehen",
    removeTitle: (who) => `${who} den Zugriff entziehen?`,
    removeLead: "Danach kann er diese Buchung nicht mehr sehen, ändern oder bezahlen.",
    again:
      "Wer die Adresse dieser Seite hat, kann wieder einen Assistenten verbinden. Hat sie jemand, der sie nicht haben soll, bitten Sie den Veranstalter um eine neue Adresse.",
    another:
      "Um mit einem anderen Assistenten weiterzumachen, verbinden Sie ihn als Gast und fügen Sie die Adresse dieser Seite ein, wenn danach gefragt wird.",
    stays: "Ihre Buchungen bleiben, wie sie sind, und diese Seite auch."
  },
  terms: {
    nothingToPay: "Es ist nichts zu zahlen.",
    deposit: (amount, kept) => `Anzahlung: ${amount}${kept ? " (wird nicht erstattet)" : ""}.`,
    wentBack: (amount) => `${amount} wurden bereits erstattet.`,
    nothingBack: "Bei einer Stornierung wird nichts erstattet.",
    nothingMoreBack: "Mehr wird nicht erstattet.",
    headcountBy: (when) => `Bis ${when} können Sie die Zahl der Kinder auf der Seite Ihrer Buchung selbst ändern.`,
    growsBy: (when) =>
      `Bis ${when} können Sie auf der Seite Ihrer Buchung selbst weitere Gäste anmelden; weniger können es nicht werden.`,
    headcountFinal: "Die Zahl der Kinder steht fest.",
    moveUntil: (when) => `Bis ${when} kostenlos umbuchbar.`,
    restAtVenue: "Was noch zu zahlen ist, zahlen Sie vor Ort.",
    releasedAt: (when) => `Ist der Rest bis ${when} nicht bezahlt, werden Ihre Plätze wieder freigegeben.`
  },
  standings: {
    to_pay: standingMessage(
      "Ihre Plätze sind reserviert",
      ({ amount }) => `Zahlen Sie bis dahin ${amount}, dann ist die Buchung bestätigt.`
    ),
    payment_failed: standingMessage(
      "Die Zahlung hat nicht geklappt",
      "Es wurde nichts abgebucht, und Ihre Plätze bleiben reserviert: Sie können es noch einmal versuchen."
    ),
    not_payable: standingMessage("Ihre Plätze sind reserviert", ({ sent_back }) =>
      sent_back === ""
        ? "Der Veranstalter kann hier zurzeit keine Zahlungen annehmen. Fragen Sie ihn bitte, bevor die Zeit abläuft. Es wurde nichts abgebucht."
        : "Der Veranstalter kann hier zurzeit keine Zahlungen annehmen. Fragen Sie ihn bitte, bevor die Zeit abläuft."
    ),
    payment_processing: standingMessage(
      "Ihre Zahlung ist unterwegs",
      "Bei manchen Zahlungsarten dauert das einige Tage. Ihre Plätze bleiben reserviert, bis das Geld da ist. Sie müssen nichts tun."
    ),
    payment_under_review: standingMessage(
      "Wir prüfen Ihre Zahlung",
      ({ in_question }) =>
        `Eine Zahlung von ${in_question} ist eingegangen, die nicht die verlangte ist; es kümmert sich jemand darum. Ihre Plätze bleiben solange reserviert. Bitte zahlen Sie nicht noch einmal.`
    ),
    arriving: standingMessage(
      "Wir prüfen, ob Ihre Zahlung eingegangen ist",
      "Die Zahlungsfrist ist abgelaufen, aber vielleicht ging im letzten Moment noch eine Zahlung ein. Sehen Sie in einer Minute noch einmal nach."
    ),
    free: standingMessage("Ihre Buchung ist bestätigt", "Es ist nichts zu zahlen. Viel Spaß!"),
    paid: standingMessage("Ihre Buchung ist bestätigt", ({ comes_back, paid_back }) =>
      comes_back === "" && paid_back === ""
        ? "Alles ist bezahlt. Viel Spaß!"
        : "Es ist nichts mehr zu zahlen. Viel Spaß!"
    ),
    confirmed_paid_back: standingMessage("Ihre Zahlung wurde erstattet", ({ comes_back, paid_back }) =>
      comes_back === ""
        ? `${paid_back} wurden Ihnen erstattet, aber Ihre Buchung ist nicht storniert. Bitte fragen Sie beim Veranstalter nach, ob Ihr Besuch stattfindet. Sie müssen nicht noch einmal zahlen.`
        : `${comes_back} werden Ihnen erstattet, aber Ihre Buchung ist nicht storniert. Bitte fragen Sie beim Veranstalter nach, ob Ihr Besuch stattfindet. Sie müssen nicht noch einmal zahlen.`
    ),
    balance_due: standingMessage("Ihre Buchung ist bestätigt", ({ amount, online, until }) =>
      online
        ? `Bis ${until} sind noch ${amount} zu zahlen.`
        : until === ""
          ? `Noch ${amount} zu zahlen: vor Ort bei Ihrem Besuch.`
          : `Bis ${until} sind noch ${amount} zu zahlen: vor Ort, nicht auf dieser Seite.`
    ),
    balance_overdue: standingMessage("Ihre Buchung ist bestätigt", ({ amount, online, until }) =>
      online
        ? `${amount} sind seit ${until} fällig. Bitte zahlen Sie jetzt.`
        : `${amount} sind seit ${until} fällig. Bitte zahlen Sie vor Ort.`
    ),
    balance_processing: standingMessage(
      "Ihre Buchung ist bestätigt",
      ({ amount }) => `Ihre Zahlung von ${amount} ist unterwegs. Sie müssen nichts tun.`
    ),
    confirmed_under_review: standingMessage(
      "Ihre Buchung ist bestätigt",
      ({ in_question }) =>
        `Eine Zahlung von ${in_question} ist eingegangen, die nicht die verlangte ist; es kümmert sich jemand darum. Bitte zahlen Sie nicht noch einmal.`
    ),
    over: standingMessage("Ihr Besuch ist vorbei", ({ amount }) =>
      amount === ""
        ? "Danke für Ihren Besuch."
        : `Danke für Ihren Besuch. Es sind noch ${amount} zu zahlen: Fragen Sie den Veranstalter.`
    ),
    did_not_come: standingMessage("Sie waren nicht da", ({ amount }) =>
      amount === ""
        ? "So hat es der Veranstalter vermerkt. Wenn das nicht stimmt, wenden Sie sich an ihn."
        : `So hat es der Veranstalter vermerkt. Es sind noch ${amount} zu zahlen. Wenn das nicht stimmt, wenden Sie sich an ihn.`
    ),
    released: standingMessage("Ihre Plätze wurden freigegeben", ({ comes_back, in_question, paid, paid_back }) => {
      const lead =
        "Der Rest wurde nicht rechtzeitig bezahlt. Deshalb sind die Plätze wieder frei, wie es die Bedingungen der Buchung vorsehen."
      if (in_question !== "")
        return `${lead} Eine Zahlung von ${in_question} ist eingegangen, die nicht die verlangte ist; es kümmert sich jemand darum.`
      if (comes_back !== "") return `${lead} ${comes_back} werden Ihnen erstattet.`
      if (paid_back !== "") return `${lead} ${paid_back} wurden Ihnen erstattet.`
      return paid === "" ? lead : `${lead} Von den gezahlten ${paid} wird nichts erstattet.`
    }),
    expired: standingMessage("Ihre Buchung ist abgelaufen", ({ sent_back }) =>
      sent_back === ""
        ? "Sie wurde nicht rechtzeitig bezahlt, und die Plätze sind wieder frei. Es wurde nichts abgebucht."
        : "Sie wurde nicht rechtzeitig bezahlt, und die Plätze sind wieder frei."
    ),
    expired_under_review: standingMessage(
      "Ihre Buchung ist abgelaufen",
      ({ in_question }) =>
        `Eine Zahlung von ${in_question} ist eingegangen, die nicht die verlangte ist; es kümmert sich jemand darum. Sie bestätigt die Buchung, wenn die Plätze noch frei sind, oder wird Ihnen erstattet.`
    ),
    expired_processing: standingMessage(
      "Ihre Buchung ist abgelaufen",
      "Die Zahlung kam zu spät und wird noch verarbeitet. Wenn sie ankommt, bestätigt sie die Buchung, falls die Plätze noch frei sind. Sonst wird sie erstattet."
    ),
    expired_going_back: standingMessage("Ihre Buchung ist abgelaufen", ({ comes_back }) =>
      comes_back === ""
        ? "Die Zahlung kam, als die Plätze schon vergeben waren. Sie wird erstattet."
        : `Die Zahlung kam, als die Plätze schon vergeben waren. ${comes_back} werden Ihnen erstattet.`
    ),
    expired_paid_back: standingMessage(
      "Ihre Buchung ist abgelaufen",
      ({ paid_back }) => `Die Zahlung kam, als die Plätze schon vergeben waren. ${paid_back} wurden Ihnen erstattet.`
    ),
    cancelled: standingMessage("Ihre Buchung ist storniert", ({ sent_back }) =>
      sent_back === "" ? "Es wurde nichts bezahlt, und es ist nichts zu zahlen." : "Es ist nichts zu zahlen."
    ),
    cancelled_kept: standingMessage(
      "Ihre Buchung ist storniert",
      ({ paid }) => `Nach den Bedingungen der Buchung werden die gezahlten ${paid} nicht erstattet.`
    ),
    cancelled_under_review: standingMessage(
      "Ihre Buchung ist storniert",
      ({ in_question }) =>
        `Eine Zahlung von ${in_question} ist eingegangen, die nicht die verlangte ist. Es kümmert sich jemand darum, und sie wird Ihnen erstattet.`
    ),
    cancelled_processing: standingMessage(
      "Ihre Buchung ist storniert",
      "Eine Zahlung wird noch verarbeitet. Wenn sie ankommt, wird sie erstattet."
    ),
    cancelled_going_back: standingMessage("Ihre Buchung ist storniert", ({ comes_back }) =>
      comes_back === "" ? "Ihr Geld wird erstattet." : `${comes_back} werden Ihnen erstattet.`
    ),
    cancelled_paid_back: standingMessage(
      "Ihre Buchung ist storniert",
      ({ paid_back }) => `${paid_back} wurden Ihnen erstattet.`
    )
  },
  afterPaying: {
    arrived: (amount) => `Ihre Zahlung über ${amount} ist eingegangen.`,
    waiting: {
      title: "Wir warten auf Ihre Zahlung",
      lead: "Der Zahlungsanbieter hat uns noch keine Zahlung gemeldet. Das dauert meist nur einige Sekunden."
    },
    looksByItself: "Diese Seite aktualisiert sich automatisch.",
    onItsWay: (amount) => `Die Zahlung über ${amount} wurde gestartet, das Geld ist aber noch nicht eingegangen.`,
    notPaid: "Sie haben nicht bezahlt. Es wurde nichts abgebucht.",
    failed: "Die Zahlung ist fehlgeschlagen. Es wurde nichts abgebucht.",
    closed: "Die Zahlungsseite ist geschlossen, und es wurde nichts abgebucht.",
    late: "Bitten Sie Ihren Assistenten, neu zu buchen. Trifft doch noch eine Zahlung ein, bestätigt sie die Buchung, falls die Plätze frei sind; sonst wird sie erstattet.",
    notNeeded: (amount) =>
      `Ihre Zahlung über ${amount} kam, nachdem das schon bezahlt war oder Ihre Buchung sich geändert hatte. Sie zählt nicht, und Ihre Buchung bleibt, wie sie ist.`,
    wentBack: "Ihre Zahlung wurde über Ihr ursprüngliches Zahlungsmittel erstattet.",
    underReview: (amount) =>
      `Ihre Zahlung von ${amount} ist eingegangen und ist nicht die verlangte. Es kümmert sich jemand darum; was daraus wird, steht auf der Seite Ihrer Buchung. Bitte zahlen Sie nicht noch einmal.`,
    payAgain: "Zur Zahlungsseite",
    linkRenewed:
      "Die Seite Ihrer Buchung hat eine neue Adresse, seit Sie die Zahlungsseite geöffnet haben. Fragen Sie Ihren Assistenten oder den Veranstalter danach.",
    linkGiven: "Die Seite Ihrer Buchung öffnen Sie mit dem Link, den Sie bei der Buchung bekommen haben.",
    unavailable: {
      title: "Wir können gerade nicht nachsehen",
      lead: "Ihre Zahlung ist beim Zahlungsanbieter sicher; wir konnten nicht fragen, wie es um sie steht."
    },
    unknown: {
      title: "Zurück von der Zahlungsseite",
      lead: "Zu dieser Adresse gibt es keine Buchung.",
      more: "Fragen Sie Ihren Assistenten, wie es um Ihre Buchung steht: Er sieht, ob die Zahlung eingegangen ist."
    },
    closing: "Sie können diese Seite schließen und zu Ihrem Assistenten zurückkehren."
  }
}
