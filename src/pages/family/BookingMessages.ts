/** The words of the family's page beside those of its state, in each language. */
import type { Language } from "../../kernel/Language.ts"

interface Messages {
  readonly reference: string
  readonly what: string
  readonly when: string
  readonly where: string
  readonly map: string
  readonly who: string
  readonly children: (n: number) => string
  readonly adults: (n: number) => string
  readonly ages: (ages: string) => string
  readonly bookedBy: string
  readonly notes: string
  readonly money: string
  readonly price: string
  readonly quantity: string
  readonly amount: string
  readonly total: string
  /** The labels of price lines that do not come from the catalogue. */
  readonly lines: {
    readonly children: string
    readonly extraChildren: string
    readonly adults: string
    readonly extraAdults: string
    readonly billedAs: (n: string) => string
    readonly tax: (percent: string) => string
  }
  readonly tax: (percent: string, amount: string, included: boolean) => string
  readonly paid: string
  readonly paidBack: string
  readonly onItsWay: string
  readonly dueNow: string
  readonly balance: string
  readonly by: (when: string) => string
  readonly terms: string
  readonly rules: string
  readonly questions: string
  /** Before the operator's name or address. */
  readonly contact: string
  readonly contactAtVenue: string
  readonly pay: (amount: string) => string
  readonly payNote: string
  readonly payBalance: (amount: string) => string
  readonly lookAgain: string
  readonly calendar: string
  readonly calendarUpdate: string
  readonly changes: string
  readonly disputed: string
  readonly unclear: string
  readonly secret: string
  /** What a payment page could not be opened for. */
  readonly faults: Readonly<Record<PayFault, string>>
}

/** `changed`: there is nothing to pay on a page now. `operator`: the venue can't take payments. `provider`: its provider can't. */
export type PayFault = "changed" | "operator" | "provider"

const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    reference: "Reference",
    what: "What",
    when: "When",
    where: "Where",
    map: "Show on a map",
    who: "Who",
    children: (n) => counted(n, "child", "children"),
    adults: (n) => counted(n, "adult", "adults"),
    ages: (ages) => `aged ${ages}`,
    bookedBy: "Booked by",
    notes: "Your wishes",
    money: "Money",
    price: "Price",
    quantity: "Number",
    amount: "Amount",
    total: "Total",
    lines: {
      children: "Children",
      extraChildren: "Extra children",
      adults: "Adults",
      extraAdults: "Extra adults",
      billedAs: (n) => `${n} are charged`,
      tax: (percent) => `Tax (${percent})`
    },
    tax: (percent, amount, included) => `${included ? "Includes" : "With"} ${percent} tax: ${amount}`,
    paid: "Paid",
    paidBack: "Paid back",
    onItsWay: "On its way back",
    dueNow: "To pay now",
    balance: "To pay later",
    by: (when) => `by ${when}`,
    terms: "If your plans change",
    rules: "House rules",
    questions: "Questions",
    contact: "Ask the venue:",
    contactAtVenue: "Ask at the venue:",
    pay: (amount) => `Pay ${amount}`,
    payNote: "You pay on the payment provider’s page and come back here.",
    payBalance: (amount) => `Pay the rest: ${amount}`,
    lookAgain: "Look again",
    calendar: "Add to calendar",
    calendarUpdate: "Update your calendar",
    changes: "Change or cancel",
    disputed:
      "A payment of this booking is disputed at its bank. Until the bank has decided, nothing goes back beside it.",
    unclear:
      "A payment of this booking could not be booked as usual, and people look after it. If something here looks wrong, ask the venue.",
    secret: "Whoever has this page’s address can see and change the booking: keep it to yourself.",
    faults: {
      changed: "There is nothing to pay here right now. This is how the booking stands.",
      operator: "The venue can’t take payments online right now. Please ask the venue. Nothing was charged.",
      provider: "The payment page can’t be reached right now. Please try again in a minute. Nothing was charged."
    }
  },
  de: {
    reference: "Buchungsnummer",
    what: "Was",
    when: "Wann",
    where: "Wo",
    map: "Auf der Karte zeigen",
    who: "Wer",
    children: (n) => counted(n, "Kind", "Kinder"),
    adults: (n) => counted(n, "Erwachsene(r)", "Erwachsene"),
    ages: (ages) => `Alter ${ages}`,
    bookedBy: "Gebucht von",
    notes: "Ihre Wünsche",
    money: "Geld",
    price: "Preis",
    quantity: "Anzahl",
    amount: "Betrag",
    total: "Gesamt",
    lines: {
      children: "Kinder",
      extraChildren: "Weitere Kinder",
      adults: "Erwachsene",
      extraAdults: "Weitere Erwachsene",
      billedAs: (n) => `berechnet werden ${n}`,
      tax: (percent) => `Steuer (${percent})`
    },
    tax: (percent, amount, included) => `${included ? "Darin" : "Mit"} ${percent} Steuer: ${amount}`,
    paid: "Bezahlt",
    paidBack: "Zurückgezahlt",
    onItsWay: "Auf dem Weg zurück",
    dueNow: "Jetzt zu zahlen",
    balance: "Später zu zahlen",
    by: (when) => `bis ${when}`,
    terms: "Wenn sich Ihre Pläne ändern",
    rules: "Hausregeln",
    questions: "Fragen",
    contact: "Fragen Sie den Veranstalter:",
    contactAtVenue: "Fragen Sie vor Ort:",
    pay: (amount) => `${amount} zahlen`,
    payNote: "Sie zahlen auf der Seite des Zahlungsanbieters und kommen dann hierher zurück.",
    payBalance: (amount) => `Rest zahlen: ${amount}`,
    lookAgain: "Noch einmal nachsehen",
    calendar: "In den Kalender",
    calendarUpdate: "Kalender aktualisieren",
    changes: "Ändern oder stornieren",
    disputed:
      "Eine Zahlung dieser Buchung wird bei der Bank angefochten. Bis die Bank entschieden hat, wird daneben nichts zurückgezahlt.",
    unclear:
      "Eine Zahlung dieser Buchung ließ sich nicht wie üblich verbuchen; es kümmert sich jemand darum. Wenn hier etwas nicht stimmt, fragen Sie den Veranstalter.",
    secret: "Wer die Adresse dieser Seite hat, kann die Buchung sehen und ändern: Behalten Sie sie für sich.",
    faults: {
      changed: "Hier ist gerade nichts zu zahlen. So steht die Buchung jetzt.",
      operator:
        "Der Veranstalter kann gerade keine Online-Zahlungen annehmen. Bitte fragen Sie ihn. Es wurde nichts abgebucht.",
      provider:
        "Die Zahlungsseite ist gerade nicht erreichbar. Bitte versuchen Sie es in einer Minute noch einmal. Es wurde nichts abgebucht."
    }
  },
  fr: {
    reference: "Référence",
    what: "Quoi",
    when: "Quand",
    where: "Où",
    map: "Voir sur une carte",
    who: "Qui",
    children: (n) => `${n} ${n < 2 ? "enfant" : "enfants"}`,
    adults: (n) => `${n} ${n < 2 ? "adulte" : "adultes"}`,
    ages: (ages) => `âges : ${ages}`,
    bookedBy: "Réservé par",
    notes: "Vos souhaits",
    money: "Argent",
    price: "Prix",
    quantity: "Nombre",
    amount: "Montant",
    total: "Total",
    lines: {
      children: "Enfants",
      extraChildren: "Enfants supplémentaires",
      adults: "Adultes",
      extraAdults: "Adultes supplémentaires",
      billedAs: (n) => `${n} facturés`,
      tax: (percent) => `Taxe (${percent})`
    },
    tax: (percent, amount, included) => `${included ? "Dont" : "Avec"} taxe de ${percent} : ${amount}`,
    paid: "Payé",
    paidBack: "Remboursé",
    onItsWay: "En cours de remboursement",
    dueNow: "À payer maintenant",
    balance: "À payer plus tard",
    by: (when) => `au plus tard le ${when}`,
    terms: "Si vos projets changent",
    rules: "Règlement de la maison",
    questions: "Questions",
    contact: "Contactez l’établissement :",
    contactAtVenue: "Adressez-vous sur place :",
    pay: (amount) => `Payer ${amount}`,
    payNote: "Vous payez sur la page du prestataire de paiement, puis vous revenez ici.",
    payBalance: (amount) => `Payer le solde : ${amount}`,
    lookAgain: "Vérifier à nouveau",
    calendar: "Ajouter au calendrier",
    calendarUpdate: "Mettre à jour le calendrier",
    changes: "Modifier ou annuler",
    disputed:
      "Un paiement de cette réservation est contesté auprès de la banque. Tant que la banque n’a pas décidé, rien d’autre n’est remboursé.",
    unclear:
      "Un paiement de cette réservation n’a pas pu être enregistré comme d’habitude, et quelqu’un s’en occupe. Si quelque chose vous semble faux, contactez l’établissement.",
    secret: "Toute personne qui a l’adresse de cette page peut voir et modifier la réservation : gardez-la pour vous.",
    faults: {
      changed: "Il n’y a rien à payer ici pour le moment. Voici où en est la réservation.",
      operator:
        "L’établissement ne peut pas recevoir de paiement en ligne pour le moment. Contactez-le. Rien n’a été débité.",
      provider: "La page de paiement est inaccessible pour le moment. Réessayez dans une minute. Rien n’a été débité."
    }
  },
  es: {
    reference: "Referencia",
    what: "Qué",
    when: "Cuándo",
    where: "Dónde",
    map: "Ver en un mapa",
    who: "Quién",
    children: (n) => counted(n, "niño", "niños"),
    adults: (n) => counted(n, "adulto", "adultos"),
    ages: (ages) => `edades: ${ages}`,
    bookedBy: "Reservado por",
    notes: "Sus deseos",
    money: "Dinero",
    price: "Precio",
    quantity: "Cantidad",
    amount: "Importe",
    total: "Total",
    lines: {
      children: "Niños",
      extraChildren: "Niños adicionales",
      adults: "Adultos",
      extraAdults: "Adultos adicionales",
      billedAs: (n) => `se cobran ${n}`,
      tax: (percent) => `Impuestos (${percent})`
    },
    tax: (percent, amount, included) => `${included ? "Incluye" : "Con"} ${percent} de impuestos: ${amount}`,
    paid: "Pagado",
    paidBack: "Devuelto",
    onItsWay: "En camino de vuelta",
    dueNow: "Por pagar ahora",
    balance: "Por pagar después",
    by: (when) => `a más tardar el ${when}`,
    terms: "Si cambian sus planes",
    rules: "Normas de la casa",
    questions: "Preguntas",
    contact: "Pregunte al local:",
    contactAtVenue: "Pregunte en el local:",
    pay: (amount) => `Pagar ${amount}`,
    payNote: "Se paga en la página del proveedor de pagos y después se vuelve aquí.",
    payBalance: (amount) => `Pagar el resto: ${amount}`,
    lookAgain: "Volver a mirar",
    calendar: "Añadir al calendario",
    calendarUpdate: "Actualizar el calendario",
    changes: "Cambiar o cancelar",
    disputed:
      "Un pago de esta reserva está en disputa en el banco. Hasta que el banco decida, no se devuelve nada más.",
    unclear:
      "Un pago de esta reserva no se pudo registrar como de costumbre y alguien se ocupa de ello. Si algo le parece incorrecto, pregunte al local.",
    secret: "Quien tenga la dirección de esta página puede ver y cambiar la reserva: no la comparta.",
    faults: {
      changed: "Ahora no hay nada que pagar aquí. Así está la reserva.",
      operator: "El local no puede recibir pagos en línea ahora. Pregúntele, por favor. No se cobró nada.",
      provider: "No se puede abrir la página de pago ahora. Inténtelo de nuevo dentro de un minuto. No se cobró nada."
    }
  },
  ja: {
    reference: "予約番号",
    what: "内容",
    when: "日時",
    where: "場所",
    map: "地図で見る",
    who: "人数",
    children: (n) => `お子さま${n}名`,
    adults: (n) => `大人${n}名`,
    ages: (ages) => `年齢：${ages}`,
    bookedBy: "予約者",
    notes: "ご要望",
    money: "お支払い",
    price: "料金",
    quantity: "数量",
    amount: "金額",
    total: "合計",
    lines: {
      children: "お子さま",
      extraChildren: "追加のお子さま",
      adults: "大人",
      extraAdults: "追加の大人",
      billedAs: (n) => `${n}名分の料金`,
      tax: (percent) => `税（${percent}）`
    },
    tax: (percent, amount, included) => `${included ? "うち" : "別途"}税（${percent}）：${amount}`,
    paid: "お支払い済み",
    paidBack: "返金済み",
    onItsWay: "返金手続き中",
    dueNow: "今回のお支払い",
    balance: "後日のお支払い",
    by: (when) => `${when}まで`,
    terms: "ご予定が変わったとき",
    rules: "ご利用にあたって",
    questions: "お問い合わせ",
    contact: "施設の連絡先：",
    contactAtVenue: "施設で直接お尋ねください：",
    pay: (amount) => `${amount}を支払う`,
    payNote: "決済会社のページでお支払いいただき、その後このページに戻ります。",
    payBalance: (amount) => `残り${amount}を支払う`,
    lookAgain: "もう一度確認する",
    calendar: "カレンダーに追加",
    calendarUpdate: "カレンダーを更新",
    changes: "変更・キャンセル",
    disputed:
      "このご予約のお支払いについて、銀行で異議申し立てが審査されています。結果が出るまで、別途の返金は行われません。",
    unclear:
      "このご予約のお支払いを通常どおり記録できず、担当者が確認しています。内容に誤りがあるときは施設にお問い合わせください。",
    secret: "このページのアドレスを知っている人は、ご予約を見たり変更したりできます。他の人に教えないでください。",
    faults: {
      changed: "現在、ここでのお支払いはありません。ご予約の状況は次のとおりです。",
      operator:
        "現在、施設はオンラインでのお支払いを受け付けられません。施設にお問い合わせください。請求は行われていません。",
      provider: "現在、お支払いページに接続できません。1分ほどしてからもう一度お試しください。請求は行われていません。"
    }
  }
}
