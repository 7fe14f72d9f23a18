/** What the page for cancelling a booking says, in every language. A message that lacks in one fails the type check. */
import type { Language } from "../../kernel/Language.ts"

/** Texts, not HTML. Amounts are written in the same language. */
interface Messages {
  readonly title: string
  readonly visit: string
  readonly when: string
  readonly reference: string
  readonly comesBack: string
  /** One of these says what comes back. */
  readonly nothingPaid: string
  readonly all: (refund: string) => string
  readonly part: (refund: string, paid: string) => string
  readonly none: (paid: string) => string
  readonly wentBackBefore: (amount: string) => string
  readonly nothingMore: string
  readonly how: string
  readonly stillArrives: string
  readonly disputed: (amount: string) => string
  readonly notAsked: string
  readonly places: string
  readonly cancel: string
  readonly keep: string
  readonly changed: string
  readonly begunTitle: string
  readonly begun: (operator: string) => string
  readonly back: string
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    title: "Cancel this booking?",
    visit: "Visit",
    when: "When",
    reference: "Reference",
    comesBack: "What comes back",
    nothingPaid: "Nothing, as nothing was paid.",
    all: (refund) => `All that you paid: ${refund}.`,
    part: (refund, paid) => `${refund} of the ${paid} that you paid.`,
    none: (paid) => `Nothing of the ${paid} that you paid.`,
    wentBackBefore: (amount) => `${amount} of what you paid went back before.`,
    nothingMore: "Nothing more comes back.",
    how: "The money goes back the way you paid. Banks take some days for that.",
    stillArrives: "Should a payment of yours still arrive, all of it goes back to you.",
    disputed: (amount) =>
      `${amount} is under dispute at your bank. No refund is sent before that is decided, and money that you got back by it counts.`,
    notAsked:
      "We could not ask the payment provider whether some of your money went back already. It is asked before the refund is sent, which is then less.",
    places: "Your places become free for others at once. This can’t be undone.",
    cancel: "Cancel the booking",
    keep: "Keep the booking",
    changed: "Nothing was cancelled: something has changed since you looked. This is how it stands now.",
    begunTitle: "Your visit has begun",
    begun: (operator) => `It can’t be cancelled here any more. Please call ${operator}.`,
    back: "Back to your booking"
  },
  de: {
    title: "Diese Buchung stornieren?",
    visit: "Besuch",
    when: "Wann",
    reference: "Buchungsnummer",
    comesBack: "Was Sie zurückbekommen",
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
      "Wir konnten den Zahlungsdienst nicht fragen, ob ein Teil Ihres Geldes schon zurückging. Er wird gefragt, bevor die Erstattung gesendet wird; sie ist dann entsprechend kleiner.",
    places: "Ihre Plätze werden sofort für andere frei. Das lässt sich nicht rückgängig machen.",
    cancel: "Buchung stornieren",
    keep: "Buchung behalten",
    changed: "Es wurde nichts storniert: Seit Sie nachgesehen haben, hat sich etwas geändert. So steht es jetzt.",
    begunTitle: "Ihr Besuch hat begonnen",
    begun: (operator) => `Er lässt sich hier nicht mehr stornieren. Bitte rufen Sie bei ${operator} an.`,
    back: "Zurück zu Ihrer Buchung"
  },
  fr: {
    title: "Annuler cette réservation ?",
    visit: "Visite",
    when: "Quand",
    reference: "Référence",
    comesBack: "Ce qui vous est rendu",
    nothingPaid: "Rien, car rien n’a été payé.",
    all: (refund) => `Tout ce que vous avez payé : ${refund}.`,
    part: (refund, paid) => `${refund} sur les ${paid} que vous avez payés.`,
    none: (paid) => `Rien des ${paid} que vous avez payés.`,
    wentBackBefore: (amount) => `${amount} vous ont déjà été rendus auparavant.`,
    nothingMore: "Rien de plus ne vous est rendu.",
    how: "L’argent vous revient par le moyen que vous aviez utilisé. Les banques mettent quelques jours.",
    stillArrives: "Si un paiement de votre part arrive encore, il vous est rendu en entier.",
    disputed: (amount) =>
      `${amount} font l’objet d’une contestation auprès de votre banque. Aucun remboursement ne part avant la décision, et ce qu’elle vous rend est compté.`,
    notAsked:
      "Nous n’avons pas pu demander au service de paiement si une partie de votre argent vous a déjà été rendue. Il est interrogé avant l’envoi du remboursement, qui est alors moindre.",
    places: "Vos places se libèrent aussitôt pour d’autres. C’est irréversible.",
    cancel: "Annuler la réservation",
    keep: "Garder la réservation",
    changed: "Rien n’a été annulé : quelque chose a changé depuis que vous avez regardé. Voici où en sont les choses.",
    begunTitle: "Votre visite a commencé",
    begun: (operator) => `Elle ne peut plus être annulée ici. Veuillez appeler ${operator}.`,
    back: "Retour à votre réservation"
  },
  es: {
    title: "¿Cancelar esta reserva?",
    visit: "Visita",
    when: "Cuándo",
    reference: "Referencia",
    comesBack: "Lo que se le devuelve",
    nothingPaid: "Nada, porque no se ha pagado nada.",
    all: (refund) => `Todo lo que pagó: ${refund}.`,
    part: (refund, paid) => `${refund} de los ${paid} que pagó.`,
    none: (paid) => `Nada de los ${paid} que pagó.`,
    wentBackBefore: (amount) => `${amount} ya se le devolvieron antes.`,
    nothingMore: "No se le devuelve nada más.",
    how: "El dinero vuelve por el mismo medio con que pagó. Los bancos tardan algunos días.",
    stillArrives: "Si aún llegara un pago suyo, se le devuelve entero.",
    disputed: (amount) =>
      `${amount} están en disputa en su banco. No se envía ninguna devolución antes de que se decida, y lo que reciba por ella cuenta.`,
    notAsked:
      "No hemos podido preguntar al servicio de pago si ya se le devolvió una parte. Se le pregunta antes de enviar la devolución, que entonces es menor.",
    places: "Sus plazas quedan libres para otros al momento. No se puede deshacer.",
    cancel: "Cancelar la reserva",
    keep: "Conservar la reserva",
    changed: "No se ha cancelado nada: algo ha cambiado desde que miró. Así está ahora.",
    begunTitle: "Su visita ha comenzado",
    begun: (operator) => `Ya no se puede cancelar aquí. Llame a ${operator}.`,
    back: "Volver a su reserva"
  },
  ja: {
    title: "この予約をキャンセルしますか？",
    visit: "ご利用内容",
    when: "日時",
    reference: "予約番号",
    comesBack: "返金額",
    nothingPaid: "お支払いがないため、返金はありません。",
    all: (refund) => `お支払いの全額、${refund}が返金されます。`,
    part: (refund, paid) => `お支払い済みの${paid}のうち、${refund}が返金されます。`,
    none: (paid) => `お支払い済みの${paid}は返金されません。`,
    wentBackBefore: (amount) => `${amount}は、すでに返金されています。`,
    nothingMore: "これ以上の返金はありません。",
    how: "お支払い時と同じ方法で返金されます。銀行の処理に数日かかります。",
    stillArrives: "この後にお支払いが届いた場合は、全額返金されます。",
    disputed: (amount) =>
      `${amount}について、カード会社などへの異議申し立てが行われています。結論が出るまで返金は行われず、それによって戻った金額も返金に含まれます。`,
    notAsked:
      "すでに返金された金額があるかどうか、決済サービスに確認できませんでした。返金の前に確認し、その分は差し引かれます。",
    places: "お席はすぐにほかの方が予約できるようになります。この操作は取り消せません。",
    cancel: "予約をキャンセルする",
    keep: "予約をそのままにする",
    changed: "キャンセルは行われていません。ご覧になった後に変更がありました。現在の内容は次のとおりです。",
    begunTitle: "ご利用時間が始まっています",
    begun: (operator) => `ここではもうキャンセルできません。${operator}へお電話ください。`,
    back: "予約のページに戻る"
  }
}
