/** What the pages for moving a booking say, in every language. A message that lacks in one fails the type check. */
import type { Language } from "../../kernel/Language.ts"

/** Texts, not HTML. Amounts, dates and times are written in the same language. */
interface Messages {
  readonly move: string
  readonly chooseDay: string
  readonly chooseTime: string
  readonly now: (when: string) => string
  readonly rule: (until: string) => string
  readonly times: (count: number) => string
  readonly noneIn: (month: string) => string
  readonly noneOn: (day: string) => string
  readonly months: string
  readonly anotherDay: string
  readonly title: string
  readonly visit: string
  readonly from: string
  readonly to: string
  readonly reference: string
  readonly price: string
  readonly stays: (total: string) => string
  readonly instead: (total: string, before: string) => string
  readonly comesBack: string
  readonly back: (refund: string) => string
  readonly nothingBack: string
  readonly counted: (when: string) => string
  readonly confirm: string
  readonly anotherTime: string
  readonly keep: string
  readonly changed: string
  readonly gone: string
  readonly sorryTitle: string
  readonly notFree: (operator: string) => string
  readonly begun: (operator: string) => string
  readonly payment: string
  readonly refund: string
  readonly notSold: (operator: string) => string
  readonly toBooking: string
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    move: "Move to another time",
    chooseDay: "Choose another day",
    chooseTime: "Choose a time",
    now: (when) => `Your visit is on ${when}.`,
    rule: (until) => `Until ${until} you may move it yourself to any of these times. None of them costs more.`,
    times: (count) => (count === 1 ? "1 time" : `${count} times`),
    noneIn: (month) => `Nothing is free in ${month} for your party at this price.`,
    noneOn: (day) => `Nothing is free on ${day} for your party at this price.`,
    months: "Months",
    anotherDay: "Another day",
    title: "Move this booking?",
    visit: "Visit",
    from: "Until now",
    to: "From now on",
    reference: "Reference",
    price: "Price",
    stays: (total) => `It stays ${total}.`,
    instead: (total, before) => `${total} instead of ${before}.`,
    comesBack: "What comes back",
    back: (refund) => `${refund} goes back the way you paid. Banks take some days for that.`,
    nothingBack: "Nothing: you have not paid more than the new price.",
    counted: (when) => `What comes back if you cancel is counted from ${when}: moving does not make it more.`,
    confirm: "Move the booking",
    anotherTime: "Another time",
    keep: "Leave it as it is",
    changed: "Nothing was moved: something has changed since you looked. This is how it stands now.",
    gone: "Nothing was moved: that time can’t be had any more. These are free.",
    sorryTitle: "It can’t be moved here now",
    notFree: (operator) => `The terms of your booking give no free move now. Please ask ${operator}.`,
    begun: (operator) => `Your visit has begun. Please call ${operator}.`,
    payment: "A payment for this booking is open or on its way. Try again once it has arrived, or in half an hour.",
    refund: "Money is on its way back to you. Try again once it is there.",
    notSold: (operator) => `Other times can’t be booked now. Please ask ${operator}.`,
    toBooking: "Back to your booking"
  },
  de: {
    move: "Termin verschieben",
    chooseDay: "Einen anderen Tag wählen",
    chooseTime: "Eine Uhrzeit wählen",
    now: (when) => `Ihr Besuch ist am ${when}.`,
    rule: (until) =>
      `Bis ${until} können Sie ihn selbst auf einen dieser Termine verschieben. Keiner davon kostet mehr.`,
    times: (count) => (count === 1 ? "1 Termin" : `${count} Termine`),
    noneIn: (month) => `Im ${month} ist für Ihre Gruppe zu diesem Preis nichts frei.`,
    noneOn: (day) => `Am ${day} ist für Ihre Gruppe zu diesem Preis nichts frei.`,
    months: "Monate",
    anotherDay: "Ein anderer Tag",
    title: "Diese Buchung verschieben?",
    visit: "Besuch",
    from: "Bisher",
    to: "Neu",
    reference: "Buchungsnummer",
    price: "Preis",
    stays: (total) => `Er bleibt ${total}.`,
    instead: (total, before) => `${total} statt ${before}.`,
    comesBack: "Was Sie zurückbekommen",
    back: (refund) =>
      `${refund} gehen auf dem Weg zurück, auf dem Sie bezahlt haben. Banken brauchen dafür einige Tage.`,
    nothingBack: "Nichts, denn Sie haben nicht mehr als den neuen Preis bezahlt.",
    counted: (when) =>
      `Was Sie bei einer Stornierung zurückbekommen, zählt ab ${when}: Durch das Verschieben wird es nicht mehr.`,
    confirm: "Buchung verschieben",
    anotherTime: "Andere Uhrzeit",
    keep: "So lassen",
    changed: "Es wurde nichts verschoben: Seit Sie nachgesehen haben, hat sich etwas geändert. So steht es jetzt.",
    gone: "Es wurde nichts verschoben: Dieser Termin ist nicht mehr zu haben. Diese sind frei.",
    sorryTitle: "Hier kann jetzt nicht verschoben werden",
    notFree: (operator) =>
      `Nach den Bedingungen Ihrer Buchung kann sie jetzt nicht kostenlos verschoben werden. Bitte fragen Sie ${operator}.`,
    begun: (operator) => `Ihr Besuch hat begonnen. Bitte rufen Sie ${operator} an.`,
    payment:
      "Eine Zahlung für diese Buchung ist offen oder unterwegs. Versuchen Sie es noch einmal, wenn sie angekommen ist, oder in einer halben Stunde.",
    refund: "Geld ist auf dem Weg zurück zu Ihnen. Versuchen Sie es noch einmal, wenn es da ist.",
    notSold: (operator) => `Andere Termine können jetzt nicht gebucht werden. Bitte fragen Sie ${operator}.`,
    toBooking: "Zurück zu Ihrer Buchung"
  },
  fr: {
    move: "Déplacer la réservation",
    chooseDay: "Choisir un autre jour",
    chooseTime: "Choisir une heure",
    now: (when) => `Votre visite est prévue le ${when}.`,
    rule: (until) =>
      `Jusqu’au ${until}, vous pouvez la déplacer vous-même à l’un de ces horaires. Aucun ne coûte plus cher.`,
    times: (count) => (count === 1 ? "1 horaire" : `${count} horaires`),
    noneIn: (month) => `Rien n’est libre en ${month} pour votre groupe à ce prix.`,
    noneOn: (day) => `Rien n’est libre le ${day} pour votre groupe à ce prix.`,
    months: "Mois",
    anotherDay: "Un autre jour",
    title: "Déplacer cette réservation ?",
    visit: "Visite",
    from: "Jusqu’ici",
    to: "Désormais",
    reference: "Référence",
    price: "Prix",
    stays: (total) => `Il reste de ${total}.`,
    instead: (total, before) => `${total} au lieu de ${before}.`,
    comesBack: "Ce qui vous est remboursé",
    back: (refund) =>
      `${refund} vous sont remboursés par le moyen de paiement utilisé. Les banques mettent quelques jours.`,
    nothingBack: "Rien : vous n’avez pas payé plus que le nouveau prix.",
    counted: (when) =>
      `Ce qui est remboursé en cas d’annulation se compte à partir du ${when} : déplacer la visite ne l’augmente pas.`,
    confirm: "Déplacer la réservation",
    anotherTime: "Une autre heure",
    keep: "Ne rien changer",
    changed: "Rien n’a été déplacé : quelque chose a changé entre-temps. Voici la situation actuelle.",
    gone: "Rien n’a été déplacé : cet horaire n’est plus disponible. Ceux-ci sont libres.",
    sorryTitle: "Impossible de déplacer ici pour l’instant",
    notFree: (operator) =>
      `Les conditions de votre réservation ne permettent pas de la déplacer sans frais maintenant. Adressez-vous à ${operator}.`,
    begun: (operator) => `Votre visite a commencé. Veuillez appeler ${operator}.`,
    payment:
      "Un paiement pour cette réservation est ouvert ou en cours. Réessayez quand il sera arrivé, ou dans une demi-heure.",
    refund: "De l’argent est en route vers vous. Réessayez quand il sera arrivé.",
    notSold: (operator) => `D’autres horaires ne peuvent pas être réservés maintenant. Adressez-vous à ${operator}.`,
    toBooking: "Retour à votre réservation"
  },
  es: {
    move: "Cambiar a otra hora",
    chooseDay: "Elegir otro día",
    chooseTime: "Elegir una hora",
    now: (when) => `Su visita es el ${when}.`,
    rule: (until) => `Hasta el ${until} puede cambiarla usted a cualquiera de estas horas. Ninguna cuesta más.`,
    times: (count) => (count === 1 ? "1 hora" : `${count} horas`),
    noneIn: (month) => `No hay nada libre en ${month} para su grupo a este precio.`,
    noneOn: (day) => `No hay nada libre el ${day} para su grupo a este precio.`,
    months: "Meses",
    anotherDay: "Otro día",
    title: "¿Cambiar esta reserva?",
    visit: "Visita",
    from: "Hasta ahora",
    to: "A partir de ahora",
    reference: "Referencia",
    price: "Precio",
    stays: (total) => `Sigue siendo ${total}.`,
    instead: (total, before) => `${total} en lugar de ${before}.`,
    comesBack: "Lo que se le devuelve",
    back: (refund) => `Se le devuelven ${refund} por el medio con el que pagó. Los bancos tardan unos días.`,
    nothingBack: "Nada: no ha pagado más que el nuevo precio.",
    counted: (when) => `Lo que se devuelve si cancela se cuenta desde el ${when}: cambiar la visita no lo aumenta.`,
    confirm: "Cambiar la reserva",
    anotherTime: "Otra hora",
    keep: "Dejarla como está",
    changed: "No se ha cambiado nada: algo es distinto desde que miró. Así está ahora.",
    gone: "No se ha cambiado nada: esa hora ya no está disponible. Estas están libres.",
    sorryTitle: "Ahora no se puede cambiar aquí",
    notFree: (operator) => `Las condiciones de su reserva no permiten cambiarla gratis ahora. Pregunte a ${operator}.`,
    begun: (operator) => `Su visita ha empezado. Llame a ${operator}.`,
    payment:
      "Un pago de esta reserva está abierto o en camino. Inténtelo de nuevo cuando haya llegado, o dentro de media hora.",
    refund: "Hay dinero en camino hacia usted. Inténtelo de nuevo cuando haya llegado.",
    notSold: (operator) => `Ahora no se pueden reservar otras horas. Pregunte a ${operator}.`,
    toBooking: "Volver a su reserva"
  },
  ja: {
    move: "日時を変更する",
    chooseDay: "別の日を選ぶ",
    chooseTime: "時間を選ぶ",
    now: (when) => `現在のご予約は${when}です。`,
    rule: (until) => `${until}までは、次の日時にご自身で変更できます。料金が高くなることはありません。`,
    times: (count) => `${count}件`,
    noneIn: (month) => `${month}には、この人数とこの料金で空きがありません。`,
    noneOn: (day) => `${day}には、この人数とこの料金で空きがありません。`,
    months: "月",
    anotherDay: "別の日",
    title: "このご予約を変更しますか？",
    visit: "ご利用内容",
    from: "変更前",
    to: "変更後",
    reference: "予約番号",
    price: "料金",
    stays: (total) => `${total}のままです。`,
    instead: (total, before) => `${before}から${total}になります。`,
    comesBack: "返金",
    back: (refund) => `${refund}がお支払い方法に返金されます。銀行での処理に数日かかります。`,
    nothingBack: "返金はありません。新しい料金を超えるお支払いがないためです。",
    counted: (when) => `キャンセル時の返金は${when}を基準に計算されます。変更しても増えません。`,
    confirm: "予約を変更する",
    anotherTime: "別の時間",
    keep: "このままにする",
    changed: "変更されていません。ご覧になった後に内容が変わりました。現在の内容は次のとおりです。",
    gone: "変更されていません。その日時は予約できなくなりました。次の日時が空いています。",
    sorryTitle: "現在ここでは変更できません",
    notFree: (operator) => `ご予約の条件では、現在無料で変更できません。${operator}にお問い合わせください。`,
    begun: (operator) => `ご利用時間が始まっています。${operator}にお電話ください。`,
    payment: "このご予約のお支払いが手続き中です。完了後、または30分ほどしてからもう一度お試しください。",
    refund: "返金の手続き中です。完了後にもう一度お試しください。",
    notSold: (operator) => `現在、ほかの日時は予約できません。${operator}にお問い合わせください。`,
    toBooking: "ご予約に戻る"
  }
}
