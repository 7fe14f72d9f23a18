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
      waived: "Nicht berechnet: zu wenig"
    },
    tax: (percent, amount, included) => `${included ? "Darin" : "Mit"} ${percent} Steuer: ${amount}`,
    by: (when) => `bis ${when}`,
    terms: "Wenn sich Ihre Pläne ändern",
    rules: "Hausregeln",
    questions: "Fragen",
    payNote: "Sie zahlen auf der Seite des Zahlungsanbieters und kommen dann hierher zurück.",
    payBalance: (amount) => `Rest zahlen: ${amount}`,
    calendar: "In den Kalender",
    calendarUpdate: "Kalender aktualisieren",
    disputed:
      "Eine Zahlung dieser Buchung wird bei der Bank angefochten. Bis die Bank entschieden hat, wird daneben nichts zurückgezahlt.",
    unclear:
      "Eine Zahlung dieser Buchung ließ sich nicht wie üblich verbuchen; es kümmert sich jemand darum. Wenn hier etwas nicht stimmt, fragen Sie den Veranstalter.",
    secret: "Wer die Adresse dieser Seite hat, kann die Buchung sehen und ändern: Behalten Sie sie für sich.",
    underWayTitle: "Diese Buchung wird gerade geändert",
    underWay:
      "Eine andere Änderung dieser Buchung läuft noch. Deshalb ist nichts geschehen. Bitte sehen Sie in einer Minute noch einmal nach.",
    faults: {
      changed: "Hier ist gerade nichts zu zahlen. So steht die Buchung jetzt.",
      stale:
        "Seit Sie nachgesehen haben, hat sich etwas geändert. Es wurde nichts abgebucht. So steht die Buchung jetzt.",
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
    none: (paid) => `Nichts von den ${paid}, die Sie bezahlt haben.`,
    wentBackBefore: (amount) => `${amount} gingen schon früher an Sie zurück.`,
    nothingMore: "Mehr kommt nicht zurück.",
    how: "Das Geld geht auf dem Weg zurück, auf dem Sie bezahlt haben. Banken brauchen dafür einige Tage.",
    stillArrives: "Trifft noch eine Zahlung von Ihnen ein, geht sie vollständig an Sie zurück.",
    disputed: (amount) =>
      `${amount} haben Sie bei Ihrer Bank angefochten. Bevor das entschieden ist, geht keine Erstattung hinaus, und was Sie dadurch zurückbekommen, zählt mit.`,
    notAsked:
      "Wir konnten den Zahlungsanbieter nicht fragen, ob ein Teil Ihres Geldes schon zurückging. Er wird gefragt, bevor die Erstattung gesendet wird; sie ist dann entsprechend kleiner.",
    places: "Ihre Plätze werden sofort für andere frei. Das lässt sich nicht rückgängig machen.",
    cancel: "Buchung stornieren",
    keep: "Buchung behalten",
    changed: "Es wurde nichts storniert: Seit Sie nachgesehen haben, hat sich etwas geändert. So steht es jetzt.",
    begunTitle: "Ihr Besuch hat begonnen",
    begun: "Er lässt sich hier nicht mehr stornieren."
  },
  move: {
    move: "Termin verschieben",
    chooseDay: "Einen anderen Tag wählen",
    chooseTime: "Eine Uhrzeit wählen",
    now: (when) => `Ihr Besuch ist am ${when}.`,
    rule: (until) =>
      `Bis ${until} können Sie ihn selbst auf einen dieser Termine verschieben. Keiner davon kostet mehr.`,
    times: { one: "# Termin", other: "# Termine" },
    noneIn: (month) => `Im ${month} ist für Ihre Gruppe zu diesem Preis nichts frei.`,
    noneOn: (day) => `Am ${day} ist für Ihre Gruppe zu diesem Preis nichts frei.`,
    months: "Monate",
    anotherDay: "Ein anderer Tag",
    title: "Diese Buchung verschieben?",
    from: "Bisher",
    to: "Neu",
    stays: (total) => `Er bleibt ${total}.`,
    waived: (amount) => `${amount} mehr sind zu wenig für eine Zahlung. Sie zahlen das nicht.`,
    instead: (total, before) => `${total} statt ${before}.`,
    back: (refund) =>
      `${refund} gehen auf dem Weg zurück, auf dem Sie bezahlt haben. Banken brauchen dafür einige Tage.`,
    nothingBack: "Nichts, denn Sie haben nicht mehr als den neuen Preis bezahlt.",
    counted: (when) =>
      `Was Sie bei einer Stornierung zurückbekommen, zählt ab ${when}: Durch das Verschieben wird es nicht mehr.`,
    confirm: "Buchung verschieben",
    anotherTime: "Andere Uhrzeit",
    changed: "Es wurde nichts verschoben: Seit Sie nachgesehen haben, hat sich etwas geändert. So steht es jetzt.",
    tooMany:
      "Es wurde nichts verschoben: An diesem Tag gibt es schon so viele kostenlose oder unbezahlte Buchungen wie möglich. Wählen Sie einen anderen Tag, oder fragen Sie vor Ort.",
    gone: "Es wurde nichts verschoben: Dieser Termin ist nicht mehr zu haben. Diese sind frei.",
    sorryTitle: "Hier kann jetzt nicht verschoben werden",
    notFree: "Nach den Bedingungen Ihrer Buchung kann sie jetzt nicht kostenlos verschoben werden.",
    begun: "Ihr Besuch hat begonnen.",
    payment:
      "Eine Zahlung für diese Buchung ist offen oder unterwegs. Versuchen Sie es noch einmal, wenn sie angekommen ist, oder in einer halben Stunde.",
    refund: "Geld ist auf dem Weg zurück zu Ihnen. Versuchen Sie es noch einmal, wenn es da ist.",
    notSold: "Andere Termine können jetzt nicht gebucht werden."
  },
  access: {
    saidName: (name) => `Es nennt sich „${name}“.`,
    unconfirmed: "Niemand hat bestätigt, wer das ist.",
    bookedThrough: "Gebucht über",
    ended: "Der Zugriff ist beendet.",
    end: "Zugriff beenden",
    title: (who) => `Zugriff von ${who} beenden?`,
    lead: "Danach kann es keine Buchungen mehr für Sie sehen, machen oder zur Zahlung bringen. Um es wieder zu verwenden, verbinden Sie es neu.",
    joined: "Assistenten, die sie auch erreichen",
    since: (date) => `Seit ${date}.`,
    mayChange: "Er kann diese Buchung sehen, ändern und bezahlen.",
    mayPay: "Er kann diese Buchung sehen und bezahlen.",
    remove: "Zugriff entziehen",
    removeTitle: (who) => `${who} den Zugriff entziehen?`,
    removeLead: "Danach kann er diese Buchung nicht mehr sehen, ändern oder bezahlen.",
    again:
      "Wer die Adresse dieser Seite hat, kann wieder einen Assistenten verbinden. Hat jemand sie, der sie nicht haben soll, bitten Sie vor Ort um eine neue Adresse.",
    another:
      "Um mit einem anderen Assistenten weiterzumachen, verbinden Sie ihn als Gast und fügen Sie die Adresse dieser Seite ein, wenn danach gefragt wird.",
    stays: "Ihre Buchungen bleiben, wie sie sind, und diese Seite auch."
  },
  terms: {
    nothingToPay: "Es ist nichts zu zahlen.",
    deposit: (amount, kept) => `${amount} sind die Anzahlung${kept ? ", die nicht erstattet wird" : ""}.`,
    wentBack: (amount) => `${amount} wurden schon zurückgezahlt.`,
    nothingBack: "Was bezahlt ist, wird nicht erstattet.",
    nothingMoreBack: "Mehr wird nicht erstattet.",
    headcountBy: (when) => `Nennen Sie dem Veranstalter die endgültige Zahl der Kinder bis ${when}.`,
    headcountFinal: "Die Zahl der Kinder steht fest.",
    moveUntil: (when) => `Auf eine andere Zeit verschieben kostet bis ${when} nichts.`,
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
    not_payable: standingMessage(
      "Ihre Plätze sind reserviert",
      "Der Veranstalter kann hier zurzeit keine Zahlungen annehmen. Fragen Sie ihn bitte, bevor die Zeit abläuft. Es wurde nichts abgebucht."
    ),
    payment_processing: standingMessage(
      "Ihre Zahlung ist unterwegs",
      "Manche Zahlungsarten brauchen einige Tage. Ihre Plätze bleiben reserviert, bis das Geld da ist. Sie müssen nichts tun."
    ),
    arriving: standingMessage(
      "Wir suchen Ihre Zahlung",
      "Die Zeit zum Zahlen ist vorbei, aber vielleicht ging im letzten Moment noch eine Zahlung ein. Sehen Sie in einer Minute wieder nach."
    ),
    free: standingMessage("Ihre Buchung ist bestätigt", "Es ist nichts zu zahlen. Viel Spaß!"),
    paid: standingMessage("Ihre Buchung ist bestätigt", ({ on_its_way, paid_back }) =>
      on_its_way === "" && paid_back === ""
        ? "Alles ist bezahlt. Viel Spaß!"
        : "Es ist nichts mehr zu zahlen. Viel Spaß!"
    ),
    confirmed_paid_back: standingMessage("Sie haben Ihr Geld zurückbekommen", ({ on_its_way, paid_back }) =>
      on_its_way === ""
        ? `${paid_back} gingen an Sie zurück, und Ihre Buchung wurde nicht storniert. Bitte fragen Sie beim Veranstalter nach, ob Ihr Besuch stattfindet. Sie müssen nicht noch einmal zahlen.`
        : `${on_its_way} sind auf dem Weg zu Ihnen, und Ihre Buchung wurde nicht storniert. Bitte fragen Sie beim Veranstalter nach, ob Ihr Besuch stattfindet. Sie müssen nicht noch einmal zahlen.`
    ),
    balance_due: standingMessage("Ihre Buchung ist bestätigt", ({ amount, online, until }) =>
      online
        ? `Es sind noch ${amount} zu zahlen, bis ${until}.`
        : `Es sind noch ${amount} zu zahlen, bis ${until}: vor Ort, nicht auf dieser Seite.`
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
    over: standingMessage("Ihr Besuch ist vorbei", ({ amount }) =>
      amount === ""
        ? "Danke für Ihren Besuch."
        : `Danke für Ihren Besuch. Es sind noch ${amount} zu zahlen: Fragen Sie den Veranstalter.`
    ),
    released: standingMessage("Ihre Plätze wurden freigegeben", ({ on_its_way, paid, paid_back }) => {
      const lead =
        "Der Rest wurde nicht rechtzeitig bezahlt. Deshalb sind die Plätze wieder frei, wie es die Bedingungen der Buchung vorsehen."
      if (on_its_way !== "")
        return `${lead} ${on_its_way} werden Ihnen zurückgezahlt; bei Banken dauert das einige Tage.`
      if (paid_back !== "") return `${lead} ${paid_back} wurden Ihnen zurückgezahlt.`
      return paid === "" ? lead : `${lead} Von den gezahlten ${paid} wird nichts erstattet.`
    }),
    expired: standingMessage(
      "Ihre Buchung ist abgelaufen",
      "Sie wurde nicht rechtzeitig bezahlt, und die Plätze sind wieder frei. Es wurde nichts abgebucht."
    ),
    expired_processing: standingMessage(
      "Ihre Buchung ist abgelaufen",
      "Die Zahlung kam zu spät und wird noch verarbeitet. Wenn sie ankommt, bestätigt sie die Buchung, falls die Plätze noch frei sind. Sonst geht sie an Sie zurück."
    ),
    expired_going_back: standingMessage("Ihre Buchung ist abgelaufen", ({ on_its_way }) =>
      on_its_way === ""
        ? "Die Zahlung kam, als die Plätze schon vergeben waren. Sie geht an Sie zurück."
        : `Die Zahlung kam, als die Plätze schon vergeben waren. ${on_its_way} sind auf dem Weg zurück zu Ihnen; Banken brauchen dafür einige Tage.`
    ),
    expired_paid_back: standingMessage(
      "Ihre Buchung ist abgelaufen",
      ({ paid_back }) =>
        `Die Zahlung kam, als die Plätze schon vergeben waren. ${paid_back} wurden Ihnen zurückgezahlt.`
    ),
    cancelled: standingMessage("Ihre Buchung ist storniert", "Es wurde nichts bezahlt, und es ist nichts zu zahlen."),
    cancelled_kept: standingMessage(
      "Ihre Buchung ist storniert",
      ({ paid }) => `Nach den Bedingungen der Buchung kommt von den gezahlten ${paid} nichts zurück.`
    ),
    cancelled_processing: standingMessage(
      "Ihre Buchung ist storniert",
      "Eine Zahlung wird noch verarbeitet. Wenn sie ankommt, geht sie an Sie zurück."
    ),
    cancelled_going_back: standingMessage("Ihre Buchung ist storniert", ({ on_its_way }) =>
      on_its_way === ""
        ? "Ihr Geld ist auf dem Weg zurück zu Ihnen, auf dem Weg, auf dem Sie bezahlt haben. Banken brauchen dafür einige Tage."
        : `${on_its_way} sind auf dem Weg zurück zu Ihnen, so wie Sie bezahlt haben. Banken brauchen dafür einige Tage.`
    ),
    cancelled_paid_back: standingMessage(
      "Ihre Buchung ist storniert",
      ({ paid_back }) => `${paid_back} wurden Ihnen zurückgezahlt, so wie Sie bezahlt haben.`
    )
  },
  checkoutReturn: {
    confirmed: {
      title: "Ihre Buchung ist bestätigt",
      lead: "Sie ist wie vereinbart bezahlt, und Ihre Plätze sind Ihnen sicher."
    },
    balancePaid: {
      title: "Restbetrag bezahlt",
      lead: (amount) => `Ihre Zahlung über ${amount} ist eingegangen.`
    },
    nothingLeft: "Es ist nichts mehr offen.",
    stillDue: (amount) => `Von Ihrer Buchung sind noch ${amount} zu bezahlen.`,
    changedSince: (amount) => `Ihre Buchung hat sich seitdem geändert: ${amount} sind noch zu bezahlen.`,
    notNeeded: {
      title: "Diese Zahlung war nicht nötig",
      lead: (amount) =>
        `Ihre Zahlung über ${amount} kam, nachdem das schon bezahlt war oder Ihre Buchung sich geändert hatte. Sie zählt nicht, und Ihre Buchung bleibt, wie sie ist.`,
      goesBack: "Ihre Zahlung geht auf dem Weg zurück, auf dem Sie bezahlt haben. Banken brauchen dafür einige Tage.",
      wentBack: "Ihre Zahlung ging auf dem Weg zurück, auf dem Sie bezahlt haben."
    },
    nothingDue: {
      title: "Es ist nichts mehr offen",
      lead: "Die Zahlungsseite ist geschlossen, und es wurde nichts abgebucht."
    },
    onItsWay: {
      title: "Ihre Zahlung ist unterwegs",
      lead: (amount) => `Die Zahlung über ${amount} wurde begonnen, und das Geld ist noch nicht eingegangen.`,
      more: "Manche Zahlungsarten brauchen Tage. Sie müssen nichts tun: Ihre Plätze bleiben so lange reserviert, und die Seite Ihrer Buchung zeigt, wenn das Geld da ist."
    },
    waiting: {
      title: "Wir warten auf Ihre Zahlung",
      lead: "Der Zahlungsanbieter hat uns noch keine Zahlung gemeldet. Das dauert meist nur einige Sekunden."
    },
    notPaid: { title: "Sie haben nicht bezahlt", lead: "Es wurde nichts abgebucht." },
    failed: { title: "Die Zahlung ist fehlgeschlagen", lead: "Es wurde nichts abgebucht." },
    closed: {
      title: "Sie haben nicht bezahlt",
      lead: "Die Zahlungsseite ist geschlossen, und es wurde nichts abgebucht."
    },
    ended: {
      title: "Ihre Buchung ist beendet",
      lead: "Sie wurde nicht rechtzeitig bezahlt, und die Plätze sind wieder frei. Es wurde nichts abgebucht.",
      more: "Bitten Sie Ihren Assistenten, neu zu buchen. Trifft doch noch eine Zahlung ein, bestätigt sie die Buchung, falls die Plätze frei sind; sonst geht sie an Sie zurück."
    },
    goingBack: {
      title: "Sie bekommen Ihr Geld zurück",
      lead: "Die Buchung ist beendet, und die Zahlung geht auf dem Weg zurück, auf dem Sie bezahlt haben. Banken brauchen dafür einige Tage."
    },
    asksVenue: {
      title: "Sie haben Ihr Geld zurückbekommen",
      lead: "Geld ging an Sie zurück, und Ihre Buchung wurde nicht storniert. Bitte fragen Sie beim Veranstalter nach, ob Ihr Besuch stattfindet."
    },
    paidBack: {
      title: "Sie haben Geld zurückbekommen",
      lead: "Die Buchung ist beendet, und Geld ging auf dem Weg zurück, auf dem Sie bezahlt haben."
    },
    cancelled: {
      title: "Ihre Buchung ist storniert",
      lead: "Die Plätze sind wieder frei. Was daraus wurde, steht auf der Seite Ihrer Buchung."
    },
    unavailable: {
      title: "Wir können gerade nicht nachsehen",
      lead: "Ihre Zahlung ist beim Zahlungsanbieter sicher; wir konnten nicht fragen, wie es um sie steht."
    },
    unknown: {
      title: "Zurück von der Zahlungsseite",
      lead: "Diese Adresse öffnet keine Buchung.",
      more: "Fragen Sie Ihren Assistenten, wie es um Ihre Buchung steht: Er sieht, ob die Zahlung eingegangen ist."
    },
    bookingStays: "Ihre Buchung bleibt, wie sie ist.",
    placesKept: "So lange bleiben Ihre Plätze reserviert.",
    payAgain: "Zur Zahlungsseite",
    payOnBookingPage: "Auf der Seite Ihrer Buchung können Sie bezahlen.",
    looksByItself: "Diese Seite sieht von selbst noch einmal nach.",
    bookingPage: "Die Seite Ihrer Buchung",
    linkRenewed:
      "Die Seite Ihrer Buchung hat eine neue Adresse, seit Sie die Zahlungsseite geöffnet haben. Fragen Sie Ihren Assistenten oder vor Ort danach.",
    linkGiven: "Die Seite Ihrer Buchung öffnen Sie mit dem Link, den Sie bei der Buchung bekommen haben.",
    closing: "Sie können diese Seite schließen und zu Ihrem Assistenten zurückkehren."
  }
}
