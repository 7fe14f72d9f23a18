/** Messages of the desk, in German. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Empfang",
    signInTitle: "Am Empfang anmelden",
    signInLead: "Mit dem Passkey auf diesem Gerät oder auf Ihrem Handy.",
    signIn: "Mit Passkey anmelden",
    needsScript: "Passkeys brauchen JavaScript, und das ist in diesem Browser ausgeschaltet.",
    otherDevice: "Anderes Gerät verwenden",
    passkeyFaults: {
      insecure:
        "Diese Seite kam ohne Verschlüsselung, und Browser verwenden Passkeys nur auf verschlüsselten Seiten. Hier geht es weiter:",
      elsewhere:
        "Passkeys gelten nur an der eigenen Adresse des Empfangs, und diese Seite hat eine andere. Hier geht es weiter:",
      noBrowser:
        "Dieser Browser kennt keine Passkeys. Fenster in anderen Apps kennen oft keine: Öffnen Sie diese Adresse in Safari, Chrome, Edge oder Firefox.",
      notUsed:
        "Es wurde kein Passkey verwendet: Das Fenster wurde geschlossen, es dauerte zu lange, oder hier gibt es keinen für diesen Empfang. Bitte versuchen Sie es noch einmal; ist Ihr Passkey auf einem Handy oder Sicherheitsschlüssel, wählen Sie „Anderes Gerät verwenden“.",
      notMade:
        "Es wurde kein Passkey erstellt: Das Fenster wurde geschlossen, oder es dauerte zu lange. Bitte versuchen Sie es noch einmal: Dieser Link gilt weiter.",
      notHere:
        "Auf diesem Gerät oder Sicherheitsschlüssel ist kein Passkey für diesen Empfang. Verwenden Sie das Gerät, auf dem Sie ihn erstellt haben.",
      already: "Auf diesem Gerät haben Sie schon einen Passkey, und er gilt noch. Dieser Link bleibt unbenutzt.",
      noPin:
        "Dieser Sicherheitsschlüssel oder dieses Gerät hat nicht geprüft, wer Sie sind. Richten Sie in den Einstellungen eine PIN, einen Fingerabdruck oder eine Bildschirmsperre ein und versuchen Sie es noch einmal, oder verwenden Sie ein anderes Gerät.",
      unable:
        "Dieser Browser oder dieses Gerät kann das mit Passkeys nicht. Aktualisieren Sie es, oder verwenden Sie ein anderes Gerät.",
      device:
        "Das Gerät oder der Browser meldet einen Fehler. Bitte versuchen Sie es noch einmal, starten Sie neu, oder verwenden Sie ein anderes Gerät.",
      offline: "Der Dienst war nicht zu erreichen. Bitte prüfen Sie die Verbindung und versuchen Sie es noch einmal.",
      late: "Diese Seite war zu lange offen oder wurde schon einmal abgeschickt. Bitte versuchen Sie es noch einmal.",
      unknown:
        "Dieser Empfang kennt den Passkey nicht. Galt er bisher, dann wurde er hier beendet: Bitten Sie die Leitung um einen neuen Link.",
      copied:
        "Dieser Passkey wurde abgelehnt: Er wurde seltener verwendet, als hier gezählt ist, als wäre er kopiert. Bitten Sie die Leitung, ihn zu beenden und Ihnen einen neuen Link zu geben.",
      unreadable:
        "Was der Browser geschickt hat, ist keine Antwort eines Passkeys für diesen Empfang. Bitte versuchen Sie es noch einmal, oder nehmen Sie einen anderen Browser."
    },
    inviteAgain:
      "Wenn Sie keinen Passkey mehr haben, fragen Sie die Leitung Ihres Empfangs: Mit einem neuen Link sind Sie in wenigen Minuten angemeldet.",
    invitationTitle: (operator) => `Empfang: ${operator}`,
    invitationLead: (name) =>
      `Guten Tag, ${name}. Erstellen Sie auf diesem Gerät einen Passkey: Damit melden Sie sich künftig an. Dieser Link gilt nur einmal.`,
    makePasskey: "Passkey erstellen",
    signedInAs: (name) => `Angemeldet: ${name}`,
    signOut: "Abmelden",
    search: "Name, E-Mail, Buchungsnummer oder Telefon",
    find: "Suchen",
    foundTitle: (words) => `Suche: ${words}`,
    found: { one: "# Buchung", other: "# Buchungen" },
    nothingFound: "Dazu passt keine Buchung.",
    moreFound: "Es gibt noch mehr. Geben Sie ein weiteres Wort oder die Buchungsnummer ein.",
    searchedSince: (date) => `Durchsucht sind Buchungen ab ${date}.`,
    searchBefore: "Frühere durchsuchen",
    dayToShow: "Tag",
    showDay: "Anzeigen",
    toDay: "Zurück zum Tag",
    now: (time) => `Jetzt: ${time}`,
    byHour: "Kinder pro Stunde",
    visits: "Besuche",
    toCollect: "An diesem Tag noch offen",
    room: "Raum",
    contact: "Kontakt",
    marks: { arrived: "Angekommen", no_show: "Nicht gekommen" },
    undo: (mark) => `„${mark}“ zurücknehmen`,
    notMarked:
      "Inzwischen steht ein anderer Vermerk da, oder das lässt sich jetzt nicht vermerken. Es wurde nichts geändert.",
    managersTitle: "Das kann nur die Leitung",
    managersOnly: "Bitte wenden Sie sich an die Leitung. Es wurde nichts geändert.",
    toBooking: "Zurück zur Buchung",
    goOn: "Weiter",
    moreBookings: "Weitere Buchungen",
    toList: "Zurück zur Liste",
    changed: "Es ist nichts passiert: Inzwischen hat sich etwas geändert. Das ist der aktuelle Stand.",
    since: "Seit Sie die Seite geöffnet haben:",
    byFamily: "durch die Familie",
    amountIn: (currency) => `Betrag in ${currency}`,
    amountWrong: (example) => `Bitte geben Sie einen Betrag wie ${example} an.`,
    amountSteps: (step) => `In dieser Währung sind nur Beträge in Schritten von ${step} möglich.`,
    reason: "Grund",
    reasonHint: "Er steht im Verlauf der Buchung, den auch die Familie lesen kann.",
    reasonNeeded: "Bitte geben Sie einen Grund an: Das steht nicht so in den Bedingungen.",
    partyErrors: {
      children: (least, most) => `Das Paket ist für ${least} bis ${most} Kinder.`,
      ageRange: (from, to) => `Dieser Raum ist für ${from} bis ${to} Jahre.`
    },
    book: {
      code: "Code, falls die Familie einen hat",
      noCode: "Dieser Code gilt für diesen Besuch nicht: Korrigieren Sie ihn, oder lassen Sie ihn weg.",
      title: "Neue Buchung",
      choose: "Wählen Sie den Raum und was gebucht wird.",
      nothing: "In Ihren Räumen lässt sich jetzt nichts buchen.",
      modes: { exclusive: "Der ganze Raum", shared: "Plätze im offenen Spiel" },
      times: "Freie Zeiten zeigen",
      chooseDay: "Tag wählen",
      noneIn: (month) => `Im ${month} ist für diese Gruppe nichts frei.`,
      noneOn: (day) => `Am ${day} ist für diese Gruppe nichts frei.`,
      another: "Etwas anderes buchen",
      who: "Für wen ist die Buchung?",
      emailHint:
        "Dorthin wird geschrieben, was bestätigt, geändert oder noch zu zahlen ist, und damit findet die Familie die Buchung wieder. Sie kann leer bleiben, wenn jetzt hier gezahlt wird.",
      wrong: "Es wurde nichts gebucht. Bitte sehen Sie nach, was markiert ist.",
      check: "So buchen?",
      confirm: "Buchen",
      edit: "Etwas ändern",
      free: "Jetzt ist nichts fällig: Die Buchung ist sofort bestätigt.",
      how: "Wie wird bezahlt?",
      which: "Bitte geben Sie an, wie bezahlt wird.",
      link: "Online, auf der Seite der Familie",
      held: (until) =>
        `Wird online bezahlt, sind die Plätze bis ${until} reserviert, und länger, solange jemand beim Bezahlen ist. Wird vor Ort bezahlt, ist die Buchung sofort bestätigt.`,
      howMuch: "Falls vor Ort: Wie viel wird jetzt bezahlt?",
      due: (amount) => `Was jetzt fällig ist: ${amount}`,
      all: (amount) => `Alles: ${amount}`,
      tooMany:
        "Es wurde nichts gebucht: Es gibt zu viele unbezahlte Buchungen mit dieser E-Mail-Adresse oder von diesem Empfang."
    },
    walkIn: {
      title: "Ohne Anmeldung",
      name: "Ohne Anmeldung",
      lead: "Wie viele Kinder kommen? Der Preis steht da, bevor verkauft wird.",
      begun: "Hat begonnen",
      none: "Hier und jetzt lässt sich nichts verkaufen.",
      sold: (what: string) => `Verkauft: ${what}.`
    },
    family: {
      title: "Link für die Familie",
      lead: "Lesen Sie ihn vor, oder kopieren Sie ihn. Wer ihn hat, kann bezahlen, ändern und stornieren.",
      mailed: (email) => `Bei der Buchung wurde er auch an ${email} geschickt.`,
      send: (email) => `An ${email} schicken`,
      sent: (email) => `Er ist unterwegs an ${email}.`
    },
    pay: {
      title: "Zahlung eintragen",
      way: "Wie wurde bezahlt?",
      whichWay: "Bitte geben Sie an, wie bezahlt wurde.",
      confirm: "Zahlung eintragen",
      left: "Danach noch zu zahlen",
      confirms: "Damit ist die Buchung bestätigt.",
      pages: "Seiten, auf denen dasselbe online bezahlt werden könnte, werden geschlossen.",
      nothing: "Für diese Buchung ist jetzt nichts zu zahlen.",
      more: (owed) => `Es sind höchstens ${owed} offen.`,
      less: (due) => `Die Plätze sind nur reserviert: Jetzt sind mindestens ${due} fällig.`,
      processing: "Eine Onlinezahlung wird gerade verarbeitet. Warten Sie, bis sie eingegangen oder gescheitert ist."
    },
    voucher: {
      online: "Online",
      title: "Gutscheine",
      pay: "Mit Gutschein bezahlen",
      rest: "Wie wird der Rest bezahlt?",
      later: "Nicht jetzt",
      less: (due) =>
        `Die Plätze sind nur reserviert, und ${due} sind jetzt noch fällig: Sagen Sie, wie das bezahlt wird.`,
      sell: "Einen Gutschein verkaufen",
      lead: "Was Sie für einen Gutschein einnehmen, schulden Sie. Umsatz ist es erst, wenn eine Buchung damit bezahlt wird.",
      until: "Letzter Tag, an dem er gilt",
      untilHint: "Leer lassen, wenn er unbefristet gilt.",
      untilWrong: "Wählen Sie einen künftigen Tag in den nächsten zehn Jahren.",
      value: "Wert",
      sold: "Verkauft",
      look: "Einen Gutschein nachsehen",
      show: "Anzeigen",
      print: "Öffnen, um ihn zu drucken oder die Adresse zu kopieren",
      latest: "Zuletzt verkauft",
      none: "Es wurde noch kein Gutschein verkauft.",
      undo: "Verkauf rückgängig machen: Er war ein Versehen",
      undone: "Der Verkauf wurde rückgängig gemacht.",
      kept: "Der Verkauf lässt sich nicht rückgängig machen: Mit dem Gutschein wurde etwas bezahlt, oder er ist abgelaufen."
    },
    undoPay: {
      title: "Irrtümlich eingetragene Zahlung zurücknehmen",
      confirm: "Zahlung zurücknehmen",
      which: "Welche Zahlung wurde irrtümlich eingetragen?",
      nothing:
        "Hier lässt sich keine Zahlung vor Ort zurücknehmen: Es wurde schon etwas erstattet, die Buchung ist beendet, oder der Besuch ist lange her.",
      noRefund:
        "Es wird nichts zurückgegeben: Sie halten fest, dass für diese Buchung nie bezahlt wurde. Die Buchung bleibt bestätigt.",
      books: "In den Monatszahlen bleibt die Zahlung an ihrem Tag stehen und wird heute wieder abgezogen."
    },
    returned: {
      todo: (amount) => `${amount} sind vor Ort zurückzugeben`,
      how: "Wie wurde zurückgegeben?",
      ways: { cash: "bar", card: "auf die Karte", transfer: "per Überweisung", voucher: "auf den Gutschein" },
      done: "Geld zurückgegeben"
    },
    unclear:
      "Eine Zahlung dieser Buchung ließ sich nicht wie üblich verbuchen. Wenn hier etwas nicht stimmt, fragen Sie, wer diesen Dienst für Sie betreibt.",
    back: {
      title: "Betrag erstatten",
      confirm: "Betrag erstatten",
      nothing: "Von den Zahlungen ist nichts mehr übrig.",
      tooMuch: (left) => `Von den Zahlungen sind höchstens ${left} übrig.`,
      byHand: (amount) =>
        `${amount} davon wurden nicht online bezahlt: Geben Sie sie vor Ort zurück. Was mit einem Gutschein bezahlt wurde, kommt von selbst wieder auf ihn.`,
      before: (amount) => `${amount} wurden schon erstattet und sind berücksichtigt.`,
      disputed: (amount) => `${amount} werden bei der Bank angefochten. Vor der Entscheidung wird nichts erstattet.`,
      blocked: (amount) =>
        `${amount} können erst erstattet werden, wenn Ihr Konto beim Zahlungsanbieter wieder Zahlungen annimmt. Dann gehen sie von selbst zurück.`,
      notAsked:
        "Der Zahlungsanbieter konnte nicht gefragt werden, was schon erstattet wurde. Er wird vor der Erstattung gefragt; sie kann dann kleiner ausfallen.",
      stays: "Die Buchung selbst bleibt bestehen."
    },
    cancel: {
      title: "Buchung stornieren",
      confirm: "Jetzt stornieren",
      refund: "Was wird erstattet?",
      byTerms: "Was die Bedingungen vorsehen",
      full: "Alles, was von den Zahlungen übrig ist",
      none: "Nichts",
      part: "Dieser Betrag:",
      ended: "Diese Buchung ist schon beendet.",
      places: "Die Plätze sind sofort für andere frei. Das lässt sich nicht rückgängig machen."
    },
    change: {
      title: "Gruppe ändern",
      confirm: "Buchung ändern",
      same: "So ist es schon gebucht.",
      notConfirmed: "Die Buchung ist noch nicht bestätigt: Erst muss bezahlt werden, was fällig ist.",
      begun: "Der Besuch hat begonnen.",
      payment:
        "Eine Onlinezahlung ist offen oder unterwegs. Versuchen Sie es wieder, wenn sie da ist, oder in einer halben Stunde.",
      refund: "Eine Erstattung ist unterwegs. Versuchen Sie es wieder, wenn sie angekommen ist.",
      reasonNeeded: "Nach den Bedingungen geht das nicht mehr: Bitte geben Sie einen Grund an.",
      closed: "Zu dieser Zeit ist geschlossen.",
      notSold: "Das lässt sich so nicht buchen: Stornieren Sie die Buchung und buchen Sie neu.",
      taken: "Diese Zeit ist nicht frei.",
      nearest: (starts) => `Die nächsten freien Zeiten: ${starts}.`
    },
    move: {
      title: "Buchung umbuchen",
      confirm: "Jetzt umbuchen",
      date: "Neuer Tag",
      time: "Neuer Beginn",
      when: "Bitte geben Sie Tag und Uhrzeit an.",
      room: "Raum und Angebot",
      none: "In diesen Raum lässt sich die Buchung nicht umbuchen: Bitte wählen Sie noch einmal.",
      without: (extras) => `Gibt es dort so nicht und entfällt: ${extras}.`
    },
    closing: {
      title: "Zeit sperren",
      lead: "Ab sofort kann dann nichts mehr gebucht werden. Was schon gebucht ist, bleibt gebucht.",
      outOfOrder: "Außer Betrieb",
      all: "Alle Spielräume",
      from: "Erster Tag",
      to: "Letzter Tag",
      toHint: "Leer: derselbe Tag.",
      starts: "Von",
      ends: "Bis",
      timesHint: "Für ganze Tage beide Uhrzeiten leer lassen.",
      managersDays: "Ganze Tage schließt nur die Leitung: Bitte beide Uhrzeiten angeben.",
      reasonHint: "In wenigen Worten. Familien können ihn lesen.",
      wrong: "Noch wurde nichts gesperrt: Bitte sehen Sie nach, was markiert ist.",
      timesWrong:
        "Bitte einen Tag angeben und beide Uhrzeiten oder keine. Das Ende muss nach dem Beginn liegen, höchstens zwei Jahre später.",
      reasonWrong: "Bitte geben Sie in wenigen Worten den Grund an.",
      problems: {
        no_playroom: "Diesen Spielraum gibt es nicht.",
        no_stock: "Dieses Extra gibt es nicht, oder nicht so viele davon.",
        too_many_playrooms: "Das sind zu viele Spielräume auf einmal: Bitte wählen Sie einen aus.",
        over: "Diese Zeit ist vorbei.",
        no_time: "Diese Zeit wird bei der Zeitumstellung übersprungen.",
        too_many: "In diesem Spielraum sind schon zu viele Zeiten gesperrt: Geben Sie frei, was nicht mehr nötig ist."
      },
      checkTitle: "Diese Zeit sperren?",
      inside: { one: "In dieser Zeit liegt # Buchung.", other: "In dieser Zeit liegen # Buchungen." },
      nobody: "In dieser Zeit ist nichts gebucht.",
      stays: "Was gebucht ist, bleibt und findet statt, wenn Sie es nicht umbuchen oder stornieren.",
      list: "Danach stehen diese Buchungen unter „Zu entscheiden“. Dort buchen Sie sie um oder stornieren sie, einzeln oder alle auf einmal.",
      more: (n: number) => `Und ${n} weitere.`,
      confirm: "Jetzt sperren",
      upcoming: "Ab jetzt geschlossen",
      furtherTimes: "Weitere geschlossene Zeiten",
      by: (name: string) => `von ${name}`,
      ofFile: "durch den Katalog",
      reopen: "Freigeben",
      reopenTitle: "Diese Zeit wieder freigeben?",
      reopenLead: "Sie kann sofort wieder gebucht werden, wenn nicht aus anderem Grund geschlossen ist."
    },
    closed: {
      title: "Zu entscheiden",
      lead: "Diese Buchungen liegen in Zeiten, in denen geschlossen ist, oder haben mehr Plätze oder Extras, als noch vorhanden sind. Sie finden statt, wenn sie nicht umgebucht oder storniert werden.",
      none: "Es ist nichts zu entscheiden: Keine Buchung liegt in geschlossener Zeit oder hat mehr, als vorhanden ist.",
      who: "Name",
      because: "Grund",
      only: (of, units) => `${of}: nur noch ${units}`,
      what: "Was geschieht",
      cancel: "Stornieren, alles wird erstattet",
      keep: "Behalten",
      write: "Behalten und anschreiben",
      writeAll: { one: "Diese Familie anschreiben", other: "Diese # Familien anschreiben" },
      words: "Ihre Nachricht an die Familien",
      wordsHint: "Sie kommt per E-Mail, mit dem Link zur Buchung, so wie Sie sie hier schreiben.",
      noWords: "Bitte schreiben Sie, was die Familien erfahren sollen.",
      notWritten: "kann nicht angeschrieben werden: nicht bestätigt, vorbei oder ohne E-Mail-Adresse",
      giveBack: "Extra streichen, Preis erstatten",
      swapFor: "Gegen ein anderes Extra tauschen",
      swapPays: "Tauschen, und die Familie zahlt den Unterschied",
      costsMore: (amount) =>
        `Dieses Extra kostet ${amount} mehr. Wählen Sie ein anderes oder dass die Familie den Unterschied zahlt.`,
      broken: (of, why) => `${of}, außer Betrieb: ${why}`,
      moveTo: "Umbuchen auf",
      money: "Geld",
      twice: "Andere von diesen belegen den Raum oder ein Extra um diese Zeit: Wählen Sie eine andere Zeit.",
      told: "Familien, deren bestätigte Buchung geändert oder storniert wird, bekommen eine E-Mail, in der die Änderung steht.",
      notTold: "Es werden keine E-Mails verschickt: Sagen Sie den Familien selbst Bescheid.",
      all: { one: "Diese Buchung stornieren", other: "Alle # stornieren" },
      planTitle: "Stimmt das so?",
      nothingChosen: "Es war nichts gewählt, oder es ist nichts mehr zu entscheiden.",
      cant: "geht jetzt nicht",
      inAll: "Erstattung insgesamt",
      byHand:
        "Was vor Ort bezahlt wurde, geben Sie dort zurück, und was mit Gutschein bezahlt wurde, kommt wieder auf ihn: Bei jeder Buchung steht dann, wie viel.",
      confirm: { one: "Mit # Buchung jetzt so verfahren", other: "Mit # Buchungen jetzt so verfahren" },
      changed: "Es wurde nichts getan: Die Seite davor hat etwas anderes gezeigt.",
      doneTitle: "Erledigt",
      nothingDone: "Es wurde nichts getan.",
      done: {
        cancelled: { one: "# Buchung wurde storniert.", other: "# Buchungen wurden storniert." },
        moved: { one: "# Buchung wurde umgebucht.", other: "# Buchungen wurden umgebucht." },
        givenBack: {
          one: "Bei # Buchung geht der Preis des Extras zurück.",
          other: "Bei # Buchungen geht der Preis der Extras zurück."
        },
        swapped: { one: "# Buchung hat ein anderes Extra.", other: "# Buchungen haben andere Extras." },
        written: {
          one: "# Familie wurde angeschrieben; ihre Buchung bleibt.",
          other: "# Familien wurden angeschrieben; ihre Buchungen bleiben."
        }
      },
      gone: {
        one: "Bei # weiteren war nichts mehr zu entscheiden; sie blieb, wie sie ist.",
        other: "Bei # weiteren war nichts mehr zu entscheiden; sie blieben, wie sie sind."
      },
      left: "Diese haben sich seit der Seite davor geändert, oder es ging nicht. Sie blieben, wie sie sind:",
      notAll: "Noch sind nicht alle erledigt. Mit „Weiter“ folgen die übrigen."
    },
    people: {
      title: "Wer hier arbeitet",
      lead: "Diese Personen melden sich an diesem Empfang an.",
      name: "Name",
      you: "(Sie)",
      nameHint: "So nennt der Verlauf der Buchungen die Person.",
      nameWrong: "Bitte geben Sie einen Namen mit höchstens 80 Zeichen an.",
      role: "Aufgabe",
      roles: { desk: "Empfang", manager: "Leitung" },
      roleMeans: {
        desk: "Die Arbeit des Tages: Besuche, Buchungen, Zahlungen.",
        manager: "Auch Tage schließen, Geld zurückgeben, Monatszahlen und wer hier arbeitet."
      },
      passkeys: "Passkeys",
      signedIn: "Zuletzt angemeldet",
      invitedUntil: "Eingeladen bis",
      change: "Ändern",
      invite: {
        title: "Jemanden einladen",
        confirm: "Einladen",
        wrong: "Es wurde niemand eingeladen. Bitte sehen Sie sich das Markierte an.",
        taken:
          "Jemand mit diesem Namen steht schon in der Liste. Für einen weiteren Passkey wählen Sie dort „Neue Einladung“."
      },
      again: {
        title: "Neue Einladung",
        lead: "Mit dem neuen Link erstellt die Person einen Passkey und ist angemeldet.",
        works:
          "Der Link gilt einmal: 30 Minuten, wenn die Person schon hier war, sonst drei Tage. Ein früherer Link endet.",
        passkeys: {
          legend: "Die bisherigen Passkeys",
          ends: {
            label: "Sofort beenden",
            means:
              "Das Gerät ist verloren, gestohlen oder gehört der Person nicht mehr. Sie wird auch überall abgemeldet.",
            own: "Das Gerät ist verloren, gestohlen oder gehört Ihnen nicht mehr. Sie werden auch überall außer hier abgemeldet."
          },
          stays: {
            label: "Gelten weiter",
            means: "Die Person bekommt nur einen weiteren, zum Beispiel auf einem neuen Handy."
          }
        },
        withdraw: "Offene Einladung beenden",
        confirm: "Einladung erstellen"
      },
      address: {
        title: (name) => `Einladung für ${name}`,
        lead: (name) =>
          `Geben Sie diese Adresse nur an ${name} weiter: Wer sie zuerst öffnet, erstellt einen Passkey und meldet sich als ${name} an.`,
        once: "Sie gilt nur einmal und wird nur jetzt angezeigt."
      },
      newRole: {
        link: "Aufgabe ändern",
        title: (name) => `Neue Aufgabe für ${name}`,
        lead: "Sie gilt sofort, auch wo die Person gerade angemeldet ist. Passkeys und eine offene Einladung bleiben.",
        confirm: "Ändern",
        self: "Die eigene Aufgabe können Sie nicht ändern: Das muss jemand anderes von der Leitung tun."
      },
      remove: {
        link: "Entfernen",
        title: (name) => `${name} entfernen?`,
        lead: "Die Person wird sofort überall abgemeldet und kann sich nicht mehr anmelden; eine offene Einladung endet.",
        stays: "Der Verlauf nennt weiterhin, was diese Person getan hat. Wer wiederkommt, muss neu eingeladen werden.",
        confirm: "Jetzt entfernen",
        self: "Sie können sich nicht selbst entfernen: Das muss jemand anderes von der Leitung tun."
      }
    },
    month: {
      title: "Monatszahlen",
      month: "Monat",
      show: "Anzeigen",
      before: "Monat davor",
      after: "Monat danach",
      nothing: "In dieser Zeit wurde nichts gezahlt und nichts erstattet.",
      ofYear: { title: "Jahreszahlen", show: "Das ganze Jahr", before: "Jahr davor", after: "Jahr danach" },
      tooMany:
        "Das sind zu viele Zeilen für eine Datei: Wählen Sie einen Monat, oder fragen Sie den Betreiber dieses Dienstes danach.",
      sums: {
        payment: "Online bezahlt",
        refund: "Online erstattet",
        dispute: "Angefochtene Zahlungen",
        fee: "Andere Gebühren",
        other: "Nicht aus diesen Buchungen",
        platform_fee: "Gebühren der Plattform",
        provider_fee: "Gebühren des Zahlungsanbieters",
        net: "Netto, online",
        payout: "An Sie ausgezahlt",
        venue_payment: "Vor Ort bezahlt",
        venue_refund: "Vor Ort zurückgegeben",
        voucher_sold: "Gutscheine verkauft (Ihre Schuld)",
        voucher_payment: "Mit Gutschein bezahlt",
        voucher_refund: "Auf Gutscheine zurückgegeben",
        voucher_expired: "Gutscheine, uneingelöst verfallen"
      },
      vouchersOwed: "Aus Gutscheinen geschuldet: am Ende, oder jetzt",
      taxes: "Nach Steuersätzen",
      rate: "Satz",
      withTax: "Brutto",
      tax: "Steuer",
      withoutTax: "Netto",
      codes: "Codes der Buchungen aus dieser Zeit",
      code: "Code",
      uses: "Buchungen",
      takenOff: "Nachlass",
      own: "Nach den Buchungen hier. Gebühren und Auszahlungen des Zahlungsanbieters sind nicht dabei.",
      provider: "Nach den Büchern des Zahlungsanbieters; was vor Ort bezahlt wurde, nach den Buchungen hier.",
      download: "Für die Tabellenkalkulation herunterladen (Excel)",
      downloadCsv: "Als CSV herunterladen",
      compare: "Mit Gebühren und Auszahlungen des Zahlungsanbieters",
      agrees: "Alle Beträge stimmen mit den Büchern des Zahlungsanbieters überein.",
      differs: (lines) =>
        `Abweichungen von den Büchern des Zahlungsanbieters: ${lines}. Bitten Sie den Betreiber dieses Dienstes um einen Abgleich.`,
      away: "Der Zahlungsanbieter hat nicht rechtzeitig geantwortet. Dies sind die Zahlen nach den Buchungen hier."
    },
    till: {
      title: "Die Kasse",
      drawer: "In der Lade müssten sein",
      drawerMeans: "Bar eingenommen abzüglich bar zurückgegeben an diesem Tag, neben dem Wechselgeld.",
      byWay: "Nach Zahlungsart",
      byPerson: "Nach Person",
      way: "Wie",
      taken: "Eingenommen",
      back: "Zurückgegeben oder zurückgenommen",
      sum: "Zusammen",
      who: "Wer",
      none: (day: string) => `Am Ort wurde nichts eingenommen oder zurückgegeben: ${day}.`
    },
    waits: {
      lead: { one: "# Familie wartet.", other: "# Familien warten." },
      none: "Niemand wartet.",
      since: "Wartet seit",
      remove: "Streichen"
    },
    owed: {
      title: "Offene Beträge",
      lead: { one: "Bei # Buchung ist noch etwas zu zahlen.", other: "Bei # Buchungen ist noch etwas zu zahlen." },
      none: "Es ist nichts offen.",
      who: "Name",
      amount: "Noch zu zahlen",
      due: "Fällig",
      overdue: "überfällig",
      atVenue: "vor Ort",
      over: "der Besuch ist vorbei",
      processing: "eine Zahlung ist unterwegs",
      sum: "Zusammen",
      fromStart: "Zum Anfang der Liste"
    },
    history: "Verlauf",
    unusual: "Ungewöhnlich, und nur Sie können es zulassen:",
    exceptions: {
      ages: "Ein Alter, für das der Raum nicht gedacht ist",
      party_too_small: "Weniger Kinder, als das Angebot vorsieht",
      party_too_large: "Mehr Kinder oder Erwachsene, als das Angebot vorsieht",
      too_soon: "Später, als Sie Buchungen annehmen",
      too_far_ahead: "Früher, als Sie Buchungen annehmen"
    },
    events: {
      exception: "Ausnahme gemacht",
      held: "Reserviert",
      confirmed: "Bestätigt",
      paid: "Bezahlt",
      balance_paid: "Rest bezahlt",
      payment_failed: "Zahlung fehlgeschlagen",
      paid_late: "Verspätet bezahlt",
      changed: "Gruppe geändert",
      moved: "Umgebucht",
      kept: "Findet statt",
      arrived: "Angekommen",
      arrived_undone: "Vermerk „angekommen“ zurückgenommen",
      no_show: "Nicht gekommen",
      no_show_undone: "Vermerk „nicht gekommen“ zurückgenommen",
      payment_in_question: "Zahlung wird geprüft",
      payment_taken: "Zahlung so angenommen",
      payment_sent_back: "Zahlung zurückgeschickt",
      paid_at_venue: "Vor Ort bezahlt",
      paid_by_voucher: "Mit Gutschein bezahlt",
      payment_undone: "Zahlung zurückgenommen",
      goodwill: "Betrag erstattet",
      cancelled: "Storniert",
      hold_expired: "Nicht rechtzeitig bezahlt",
      balance_lapsed: "Rest nicht rechtzeitig bezahlt",
      refunded: "Erstattet",
      refund_failed: "Erstattung fehlgeschlagen",
      disputed: "Zahlung angefochten",
      answered: "Fragen beantwortet",
      link_sent: "Link geschickt",
      written_to: "Angeschrieben",
      link_renewed: "Link erneuert",
      clock_followed: "Uhrzeit behalten",
      person_erased: "Name gelöscht"
    }
  }
}
