/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in German. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Noch ${duration}`,
    lessThanAMinute: "Noch weniger als eine Minute",
    over: "Die Zeit ist abgelaufen: Bitte laden Sie die Seite neu.",
    until: (moment) => `bis ${moment}`,
    untilToday: (time) => `bis ${time}`,
    yours: (time) => `(bei Ihnen ${time} Uhr)`,
    local: "Alle Zeiten sind Ortszeit des Veranstalters."
  },
  page: {
    payTogether: (several, amount) => `Alle ${several} auf einmal bezahlen: ${amount}`,
    eachAlone: "Jede dieser Buchungen wird für sich geändert und storniert.",
    bookAgain: "Neu buchen",
    bookAgainHow:
      "Fragen Sie Ihren Assistenten nach einem anderen Termin. Wenn Sie keinen haben: Sehen Sie nach, welche hier buchen können, oder fragen Sie den Veranstalter.",
    assistants: "Assistenten, die buchen können",
    suspended: "Der Veranstalter nimmt hier zurzeit keine neuen Buchungen an. Ihre Buchung bleibt bestehen.",
    moved: (from) =>
      `Ihr Besuch wurde umgebucht. Vorher war er am ${from}. Falls er in Ihrem Kalender steht, aktualisieren Sie ihn dort.`,
    otherRoom: (now, before) =>
      `Ihr Besuch findet jetzt in einem anderen Raum statt: ${now}. Vorher war es ${before}. Falls er in Ihrem Kalender steht, aktualisieren Sie ihn dort.`,
    payTo: (operator) =>
      `Sie zahlen an ${operator}, auf der Seite des Zahlungsanbieters, und kommen dann hierher zurück.`,
    kept: "Vom Veranstalter einbehalten",
    byTerms: (when, amount) =>
      `Storniert am ${when}. Nach den Bedingungen waren zu diesem Zeitpunkt ${amount} zu erstatten.`,
    byTermsNothing: (when) => `Storniert am ${when}. Nach den Bedingungen war zu diesem Zeitpunkt nichts zu erstatten.`,
    map: "Karte",
    directions: "Route",
    moveInstead: (until) => `Sie können bis ${until} auch umbuchen, statt zu stornieren.`,
    earlier:
      "Der neue Termin liegt früher. Damit enden auch die Stornofristen früher, selbst wenn Sie später noch einmal umbuchen.",
    earlierMoney: (now, then) =>
      `Wenn Sie jetzt stornieren, erhalten Sie ${now} zurück. Nach dem Umbuchen wären es ${then}.`
  },
  refundTable: {
    caption: "Erstattung, wenn Sie stornieren",
    until: "Bis",
    ofPaid: (sum) => `von den bezahlten ${sum}`,
    ofDueNow: (sum) => `wenn ${sum} bezahlt sind`,
    ofAll: (sum) => `wenn alle ${sum} bezahlt sind`,
    nothing: "nichts",
    afterwards: "danach"
  },
  calendars: {
    google: "Google Kalender",
    outlook: "Outlook.com"
  },
  invitation: {
    share: "Gäste einladen",
    shareLead:
      "Schicken Sie Ihren Gästen diesen Link. Sie sehen, wo und wann es ist, und sonst nichts: keinen Preis, keine Namen, keine Wünsche. Sie können zusagen, aber nichts ändern.",
    shareOpen: "Einladung ansehen",
    title: "Sie sind eingeladen",
    ask: "Fragen? Wenden Sie sich bitte an die Person, die Sie eingeladen hat.",
    come: "Wir kommen",
    childName: "Vorname des Kindes",
    allergies: "Was das Kind nicht essen darf",
    allergiesHint: "Zum Beispiel Allergien. Oder lassen Sie es leer.",
    whoSees: "Das sieht, wer Sie eingeladen hat, und der Veranstalter. Andere Gäste sehen es nicht.",
    send: "Wir kommen",
    thanks: "Danke: Wer Sie eingeladen hat, sieht es jetzt. Kommt noch ein Kind mit, tragen Sie es auch ein.",
    full: "Es wurde nichts gespeichert: Die Liste ist voll. Bitte sagen Sie der Person Bescheid, die Sie eingeladen hat.",
    begun: "Es wurde nichts gespeichert: Der Besuch hat begonnen.",
    wrong: "Es wurde nichts gespeichert. Bitte prüfen Sie die markierten Felder.",
    noName: "Bitte geben Sie einen Vornamen mit höchstens 60 Zeichen an.",
    tooLong: "Bitte schreiben Sie höchstens 200 Zeichen.",
    guests: "Gäste, die zugesagt haben",
    remove: "Entfernen"
  },
  voucher: {
    title: "Gutschein",
    worth: "Wert",
    left: "Noch auf dem Gutschein",
    until: "Gültig bis",
    noEnd: "Er ist unbefristet gültig.",
    how: "Nennen Sie den Code, wenn Sie vor Ort bezahlen, oder geben Sie ihn auf der Seite Ihrer Buchung ein. Was Sie nicht ausgeben, bleibt auf dem Gutschein.",
    keep: "Wer den Code hat, kann ihn einlösen: Bewahren Sie ihn auf wie Bargeld.",
    forWhom: "Für",
    from: "Von",
    use: "Ich habe einen Gutschein",
    lead: "Er bezahlt, was noch auf ihm ist, höchstens aber, was noch zu zahlen ist.",
    code: "Code des Gutscheins",
    codeHint: "16 Buchstaben und Ziffern. Striche und Kleinbuchstaben sind gleichgültig.",
    look: "Ansehen, was er bezahlt",
    pays: "Der Gutschein bezahlt",
    pay: (amount) => `${amount} mit dem Gutschein bezahlen`,
    less: (due) =>
      `Der Gutschein allein reicht nicht: ${due} wären sofort noch zu zahlen. Fragen Sie bitte den Veranstalter, oder zahlen Sie online, was jetzt fällig ist, und mit dem Gutschein den Rest.`,
    none: "Einen Gutschein mit diesem Code gibt es nicht. Bitte prüfen Sie jeden Buchstaben.",
    again: "Es wurde nichts bezahlt: Inzwischen hat sich etwas geändert. Das ist der aktuelle Stand.",
    refused: {
      slip: "Der Code ist nicht genau so eingegeben, wie er gedruckt ist. Bitte prüfen Sie jeden Buchstaben.",
      unknown: "Dieser Veranstalter hat keinen Gutschein mit diesem Code verkauft.",
      voided: "Der Gutschein ist ungültig: Sein Verkauf wurde rückgängig gemacht.",
      expired: "Der Gutschein ist abgelaufen.",
      used_up: "Auf dem Gutschein ist nichts mehr.",
      other_currency: "Der Gutschein lautet auf eine andere Währung."
    }
  },
  buying: {
    title: "Gutschein kaufen",
    lead: "Er bezahlt Besuche und Feiern bei diesem Veranstalter, auf einmal oder in Teilen.",
    amount: "Betrag",
    bounds: (least, most) => `Von ${least} bis ${most}.`,
    valid: "Gültigkeit",
    recipient: "Für wen (leer: eine Linie zum Ausfüllen)",
    greeting: "Eine Zeile Gruß (darf leer bleiben)",
    pay: "Online bezahlen",
    how: "Sie bezahlen auf der Seite des Zahlungsanbieters. Danach wird der Gutschein angezeigt, zum Drucken oder Weitergeben.",
    byLetter: "Einen Link dazu erhalten Sie auch per E-Mail.",
    none: "Dieser Veranstalter verkauft zurzeit keine Gutscheine online.",
    wrongAmount: (least, most) => `Bitte geben Sie einen Betrag von ${least} bis ${most} ein.`,
    greetingWrong: "Bitte schreiben Sie eine Zeile mit höchstens 200 Zeichen.",
    tooMany:
      "Hier wurden mehrere Gutscheine begonnen und nicht bezahlt. Bitte versuchen Sie es in einer Stunde noch einmal.",
    unavailable:
      "Die Bezahlseite kann gerade nicht erstellt werden. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
    openTitle: "Noch nicht bezahlt",
    open: "Die Bezahlseite ist noch offen.",
    goOn: "Weiter zum Bezahlen",
    processingTitle: "Die Zahlung ist unterwegs",
    processing:
      "Der Gutschein ist da, sobald die Zahlung eingegangen ist. Bitte öffnen Sie diese Seite dann noch einmal.",
    checkedTitle: "Die Zahlung wird geprüft",
    checked: "Sie ist nicht das, was verlangt war. Der Veranstalter weiß davon und meldet sich.",
    overTitle: "Es wurde nichts bezahlt",
    over: "Die Bezahlseite ist geschlossen, also gibt es keinen Gutschein.",
    subject: "Ihr Gutschein",
    thanks: "Vielen Dank. Das ist die Seite des Gutscheins, zum Drucken oder Weitergeben.",
    openVoucher: "Gutschein öffnen",
    why: "Sie erhalten diesen Brief, weil diese Adresse beim Kauf des Gutscheins angegeben wurde."
  },
  receipt: {
    title: "Beleg",
    from: "Von",
    taxNumber: "Steuernummer",
    forWhom: "Für",
    bookedOn: "Gebucht am",
    payments: "Zahlungen",
    date: "Datum",
    payment: "Zahlung",
    paidBy: {
      cash: "Zahlung in bar",
      card: "Zahlung mit Karte vor Ort",
      transfer: "Zahlung per Überweisung",
      voucher: "Zahlung mit Gutschein"
    },
    refund: "Erstattung",
    refundOpen: "Erstattung (unterwegs)",
    refundWaits: "Erstattung (noch nicht gesendet)",
    causes: {
      late_payment: "Bezahlt, als die Plätze vergeben waren",
      cancellation: "Durch die Stornierung",
      duplicate_payment: "Doppelt bezahlt",
      dashboard: "Vom Veranstalter erstattet",
      dispute: "Durch die Bank nach einer Reklamation",
      move: "Mehr bezahlt als der Preis",
      goodwill: "Aus Kulanz",
      misfit: "Nicht der verlangte Betrag"
    },
    nonePaid: "Bisher wurde nichts bezahlt.",
    left: "Noch zu zahlen",
    printed: "Zum Aufbewahren drucken Sie diese Seite oder speichern sie als PDF.",
    notInvoice: "Wenn Sie eine Rechnung brauchen, fragen Sie den Veranstalter."
  }
}
