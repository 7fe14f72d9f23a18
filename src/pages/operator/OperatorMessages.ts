/** What an operator reads on its pages and in its calendar, in every language. A message that lacks in one fails the type check. */
import type { Language } from "../../kernel/Language.ts"

/** Counts are whole numbers; all else is text as people of the language write it. */
export interface Messages {
  readonly visits: (visits: number, children: number) => string
  readonly noVisits: string
  readonly unsureToo: (held: number) => string
  readonly days: string
  readonly today: string
  readonly weekBefore: string
  readonly weekAfter: string
  readonly nextVisit: (date: string) => string
  readonly misunderstood: string
  readonly prepare: string
  readonly closed: string
  readonly allDay: string
  readonly confirmed: string
  readonly unsure: string
  readonly keptUntil: (time: string) => string
  readonly onItsWay: string
  readonly cancelled: string
  readonly party: (children: number, adults: number) => string
  readonly ages: (ages: string) => string
  readonly extras: string
  readonly notes: string
  readonly reference: string
  readonly toPay: (amount: string) => string
  readonly paid: string
  readonly givenBack: string
  readonly nothingToPay: string
  readonly more: string
  readonly fromStart: string
  readonly calendar: string
  readonly calendarLead: string
  readonly subscribe: string
  readonly secret: string
  readonly calendarName: (operator: string) => string
  readonly phone: string
  readonly email: string
  /** Instead of the name of somebody whose personal data was erased. */
  readonly erased: string
}

/** `one` for 1, else `many`. */
const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`
/** In French, none is singular, too. */
const countedFrench = (n: number, one: string, many: string): string => `${n} ${n < 2 ? one : many}`

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    visits: (visits, children) => `${counted(visits, "visit", "visits")}, ${counted(children, "child", "children")}`,
    noVisits: "No visits on this day.",
    unsureToo: (held) => `${held} of them not sure yet`,
    days: "Days",
    today: "Today",
    weekBefore: "Week before",
    weekAfter: "Week after",
    nextVisit: (date) => `Next visit: ${date}`,
    misunderstood: "The address asked for a day, or a place in its list, that there is not. You see this one instead.",
    prepare: "To prepare",
    closed: "Closed",
    allDay: "all day",
    confirmed: "Confirmed",
    unsure: "Not sure yet",
    keptUntil: (time) => `Not paid yet: kept until ${time}.`,
    onItsWay: "The payment is on its way.",
    cancelled: "Cancelled",
    party: (children, adults) => `${counted(children, "child", "children")}, ${counted(adults, "adult", "adults")}`,
    ages: (ages) => `ages ${ages}`,
    extras: "Extras",
    notes: "Notes",
    reference: "Reference",
    toPay: (amount) => `Still to be paid: ${amount}`,
    paid: "Paid",
    givenBack: "Paid, and money was given back",
    nothingToPay: "Nothing to pay",
    more: "More visits of this day",
    fromStart: "From the start of the day",
    calendar: "In your calendar",
    calendarLead: "Your calendar can follow these visits. Where the button does nothing, subscribe to this address:",
    subscribe: "Subscribe",
    secret:
      "Whoever has the address of this page or of the calendar sees your visitors’ names. Keep both to your team.",
    calendarName: (operator) => `Visits: ${operator}`,
    phone: "Telephone",
    email: "E-mail",
    erased: "Name erased"
  },
  de: {
    visits: (visits, children) => `${counted(visits, "Besuch", "Besuche")}, ${counted(children, "Kind", "Kinder")}`,
    noVisits: "An diesem Tag kommt niemand.",
    unsureToo: (held) => `davon noch nicht sicher: ${held}`,
    days: "Tage",
    today: "Heute",
    weekBefore: "Woche davor",
    weekAfter: "Woche danach",
    nextVisit: (date) => `Nächster Besuch: ${date}`,
    misunderstood:
      "Die Adresse nennt einen Tag oder eine Stelle der Liste, die es nicht gibt. Sie sehen stattdessen diesen Tag.",
    prepare: "Vorzubereiten",
    closed: "Geschlossen",
    allDay: "ganztägig",
    confirmed: "Bestätigt",
    unsure: "Noch nicht sicher",
    keptUntil: (time) => `Noch nicht bezahlt: reserviert bis ${time}.`,
    onItsWay: "Die Zahlung ist unterwegs.",
    cancelled: "Storniert",
    party: (children, adults) =>
      `${counted(children, "Kind", "Kinder")}, ${counted(adults, "Erwachsener", "Erwachsene")}`,
    ages: (ages) => `Alter: ${ages}`,
    extras: "Extras",
    notes: "Hinweise",
    reference: "Buchungsnummer",
    toPay: (amount) => `Noch zu zahlen: ${amount}`,
    paid: "Bezahlt",
    givenBack: "Bezahlt, und Geld wurde erstattet",
    nothingToPay: "Nichts zu zahlen",
    more: "Weitere Besuche dieses Tages",
    fromStart: "Vom Anfang des Tages",
    calendar: "In Ihrem Kalender",
    calendarLead:
      "Ihr Kalender kann diesen Besuchen folgen. Wenn die Schaltfläche nichts bewirkt, abonnieren Sie diese Adresse:",
    subscribe: "Abonnieren",
    secret:
      "Wer die Adresse dieser Seite oder des Kalenders hat, sieht die Namen Ihrer Gäste. Geben Sie beide nur Ihrem Team.",
    calendarName: (operator) => `Besuche: ${operator}`,
    phone: "Telefon",
    email: "E-Mail",
    erased: "Name gelöscht"
  },
  fr: {
    visits: (visits, children) =>
      `${countedFrench(visits, "visite", "visites")}, ${countedFrench(children, "enfant", "enfants")}`,
    noVisits: "Aucune visite ce jour-là.",
    unsureToo: (held) => `dont ${held} à confirmer`,
    days: "Jours",
    today: "Aujourd’hui",
    weekBefore: "Semaine précédente",
    weekAfter: "Semaine suivante",
    nextVisit: (date) => `Prochaine visite : ${date}`,
    misunderstood: "L’adresse indique un jour, ou un endroit de la liste, qui n’existe pas. Voici ce jour à la place.",
    prepare: "À préparer",
    closed: "Fermé",
    allDay: "toute la journée",
    confirmed: "Confirmé",
    unsure: "À confirmer",
    keptUntil: (time) => `Pas encore payé : réservé jusqu’à ${time}.`,
    onItsWay: "Le paiement est en cours.",
    cancelled: "Annulé",
    party: (children, adults) =>
      `${countedFrench(children, "enfant", "enfants")}, ${countedFrench(adults, "adulte", "adultes")}`,
    ages: (ages) => `âges : ${ages}`,
    extras: "Suppléments",
    notes: "Remarques",
    reference: "Référence",
    toPay: (amount) => `Reste à payer : ${amount}`,
    paid: "Payé",
    givenBack: "Payé, puis remboursé en partie ou en totalité",
    nothingToPay: "Rien à payer",
    more: "Autres visites de ce jour",
    fromStart: "Depuis le début de la journée",
    calendar: "Dans votre agenda",
    calendarLead: "Votre agenda peut suivre ces visites. Si le bouton ne fait rien, abonnez-vous à cette adresse :",
    subscribe: "S’abonner",
    secret:
      "Quiconque possède l’adresse de cette page ou de l’agenda voit les noms de vos visiteurs. Réservez-les à votre équipe.",
    calendarName: (operator) => `Visites : ${operator}`,
    phone: "Téléphone",
    email: "E-mail",
    erased: "Nom effacé"
  },
  es: {
    visits: (visits, children) => `${counted(visits, "visita", "visitas")}, ${counted(children, "niño", "niños")}`,
    noVisits: "No hay visitas este día.",
    unsureToo: (held) => `de ellas, por confirmar: ${held}`,
    days: "Días",
    today: "Hoy",
    weekBefore: "Semana anterior",
    weekAfter: "Semana siguiente",
    nextVisit: (date) => `Próxima visita: ${date}`,
    misunderstood:
      "La dirección indica un día, o un punto de la lista, que no existe. En su lugar se muestra este día.",
    prepare: "Para preparar",
    closed: "Cerrado",
    allDay: "todo el día",
    confirmed: "Confirmado",
    unsure: "Por confirmar",
    keptUntil: (time) => `Aún sin pagar: reservado hasta las ${time}.`,
    onItsWay: "El pago está en camino.",
    cancelled: "Cancelado",
    party: (children, adults) => `${counted(children, "niño", "niños")}, ${counted(adults, "adulto", "adultos")}`,
    ages: (ages) => `edades: ${ages}`,
    extras: "Extras",
    notes: "Notas",
    reference: "Referencia",
    toPay: (amount) => `Falta por pagar: ${amount}`,
    paid: "Pagado",
    givenBack: "Pagado, y se devolvió dinero",
    nothingToPay: "Nada que pagar",
    more: "Más visitas de este día",
    fromStart: "Desde el principio del día",
    calendar: "En su calendario",
    calendarLead: "Su calendario puede seguir estas visitas. Si el botón no hace nada, suscríbase a esta dirección:",
    subscribe: "Suscribirse",
    secret:
      "Quien tenga la dirección de esta página o del calendario verá los nombres de sus visitantes. Compártalas solo con su equipo.",
    calendarName: (operator) => `Visitas: ${operator}`,
    phone: "Teléfono",
    email: "Correo electrónico",
    erased: "Nombre borrado"
  },
  ja: {
    visits: (visits, children) => `予約${visits}件、お子さま${children}名`,
    noVisits: "この日の予約はありません。",
    unsureToo: (held) => `うち未確定${held}件`,
    days: "日付",
    today: "今日",
    weekBefore: "前の週",
    weekAfter: "次の週",
    nextVisit: (date) => `次のご予約：${date}`,
    misunderstood: "指定された日付または一覧の位置がありません。代わりにこの日を表示しています。",
    prepare: "準備するもの",
    closed: "休業",
    allDay: "終日",
    confirmed: "確定",
    unsure: "未確定",
    keptUntil: (time) => `未払い：${time}まで確保しています。`,
    onItsWay: "お支払いの手続き中です。",
    cancelled: "キャンセル",
    party: (children, adults) => `お子さま${children}名、大人${adults}名`,
    ages: (ages) => `年齢：${ages}`,
    extras: "追加オプション",
    notes: "備考",
    reference: "予約番号",
    toPay: (amount) => `未払い額：${amount}`,
    paid: "支払い済み",
    givenBack: "支払い済み（返金あり）",
    nothingToPay: "お支払いなし",
    more: "この日の続き",
    fromStart: "この日の最初から",
    calendar: "カレンダーに表示",
    calendarLead: "お使いのカレンダーで予約を確認できます。ボタンが使えない場合は、このアドレスを登録してください。",
    subscribe: "カレンダーに登録",
    secret:
      "このページまたはカレンダーのアドレスを知っている人は、お客様の名前を見られます。スタッフ以外に教えないでください。",
    calendarName: (operator) => `予約：${operator}`,
    phone: "電話",
    email: "メール",
    erased: "お名前は削除済み"
  }
}
