/** What the page at `/checkout/return` says, in every language. A message that lacks in one fails the type check. */
import type { Language } from "../../kernel/Language.ts"

interface Message {
  readonly title: string
  readonly lead: string
}

/** Texts, not HTML. `amount` and `time` are written in the same language. */
interface Messages {
  readonly confirmed: Message
  readonly balancePaid: { readonly title: string; readonly lead: (amount: string) => string }
  readonly nothingLeft: string
  /** Of the booking, after a payment that paid nothing of it. */
  readonly stillDue: (amount: string) => string
  /** The balance was paid, and a move has made another one since. */
  readonly changedSince: (amount: string) => string
  readonly notNeeded: {
    readonly title: string
    readonly lead: (amount: string) => string
    readonly goesBack: string
    readonly wentBack: string
  }
  readonly nothingDue: Message
  readonly onItsWay: { readonly title: string; readonly lead: (amount: string) => string; readonly more: string }
  readonly waiting: Message
  readonly notPaid: Message
  readonly failed: Message
  readonly closed: Message
  readonly ended: Message & { readonly more: string }
  readonly goingBack: Message
  readonly paidBack: Message
  readonly cancelled: Message
  readonly unavailable: Message
  readonly unknown: Message & { readonly more: string }
  /** After a payment that did not come about. */
  readonly bookingStays: string
  readonly placesKept: (time: string) => string
  readonly payAgain: string
  readonly payOnBookingPage: string
  readonly reference: string
  readonly looksByItself: string
  readonly lookAgain: string
  readonly bookingPage: string
  /** The booking's page has another address since. */
  readonly linkRenewed: string
  readonly closing: string
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    confirmed: { title: "Your booking is confirmed", lead: "It is paid as agreed, and your places are yours." },
    balancePaid: {
      title: "Balance paid",
      lead: (amount) => `Your payment of ${amount} has arrived.`
    },
    nothingLeft: "Nothing is left to pay.",
    stillDue: (amount) => `${amount} of your booking is still to be paid.`,
    changedSince: (amount) => `Your booking has changed since then: ${amount} is still to be paid.`,
    notNeeded: {
      title: "This payment was not needed",
      lead: (amount) =>
        `Your payment of ${amount} came after that had been paid, or after your booking had changed. It does not count, and your booking stays as it is.`,
      goesBack: "Your payment goes back to you the way you paid. Banks take some days for that.",
      wentBack: "Your payment went back to you the way you paid."
    },
    nothingDue: { title: "Nothing is left to pay", lead: "The payment page is closed, and nothing was charged." },
    onItsWay: {
      title: "Your payment is on its way",
      lead: (amount) => `The payment of ${amount} was started, and the money has not arrived yet.`,
      more: "Some ways of paying take days. You need not do anything: your places are kept meanwhile, and your booking’s page shows when it has arrived."
    },
    waiting: {
      title: "We are waiting for your payment",
      lead: "The payment provider has not told us of a payment yet. That usually takes a few seconds."
    },
    notPaid: { title: "You have not paid", lead: "Nothing was charged." },
    failed: { title: "The payment failed", lead: "Nothing was charged." },
    closed: { title: "You have not paid", lead: "The payment page is closed, and nothing was charged." },
    ended: {
      title: "Your booking has ended",
      lead: "It was not paid in time, and its places are free again. Nothing was charged.",
      more: "Ask your assistant to book anew. Should a payment still arrive, it confirms the booking if its places are free, and goes back to you if not."
    },
    goingBack: {
      title: "You get your money back",
      lead: "The booking is over, and the payment goes back to you the way you paid. Banks take some days for that."
    },
    paidBack: {
      title: "You were paid back",
      lead: "The booking is over, and money went back to you the way you paid."
    },
    cancelled: {
      title: "Your booking is cancelled",
      lead: "Its places are free again. Your booking’s page says what became of it."
    },
    unavailable: {
      title: "We can’t look right now",
      lead: "Your payment is safe with the payment provider; we could not ask how it stands."
    },
    unknown: {
      title: "Back from the payment page",
      lead: "This address opens no booking.",
      more: "Ask your assistant how your booking stands: it sees whether the payment has arrived."
    },
    bookingStays: "Your booking stays as it is.",
    placesKept: (time) => `Your places are kept until ${time}, local time.`,
    payAgain: "Go to the payment page",
    payOnBookingPage: "You can pay on your booking’s page.",
    reference: "Your booking’s reference",
    looksByItself: "This page looks again by itself.",
    lookAgain: "Look again",
    bookingPage: "Your booking’s page",
    linkRenewed:
      "Your booking’s page has a new address since you opened the payment page. Ask your assistant or the venue for it.",
    closing: "You can close this page and go back to your assistant."
  },
  de: {
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
      lead: "Der Zahlungsdienst hat uns noch keine Zahlung gemeldet. Das dauert meist nur einige Sekunden."
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
      lead: "Ihre Zahlung ist beim Zahlungsdienst sicher; wir konnten nicht fragen, wie es um sie steht."
    },
    unknown: {
      title: "Zurück von der Zahlungsseite",
      lead: "Diese Adresse öffnet keine Buchung.",
      more: "Fragen Sie Ihren Assistenten, wie es um Ihre Buchung steht: Er sieht, ob die Zahlung eingegangen ist."
    },
    bookingStays: "Ihre Buchung bleibt, wie sie ist.",
    placesKept: (time) => `Ihre Plätze sind reserviert bis ${time}, Ortszeit.`,
    payAgain: "Zur Zahlungsseite",
    payOnBookingPage: "Auf der Seite Ihrer Buchung können Sie bezahlen.",
    reference: "Die Nummer Ihrer Buchung",
    looksByItself: "Diese Seite sieht von selbst noch einmal nach.",
    lookAgain: "Noch einmal nachsehen",
    bookingPage: "Die Seite Ihrer Buchung",
    linkRenewed:
      "Die Seite Ihrer Buchung hat eine neue Adresse, seit Sie die Zahlungsseite geöffnet haben. Fragen Sie Ihren Assistenten oder vor Ort danach.",
    closing: "Sie können diese Seite schließen und zu Ihrem Assistenten zurückkehren."
  },
  fr: {
    confirmed: {
      title: "Votre réservation est confirmée",
      lead: "Elle est payée comme convenu, et vos places sont à vous."
    },
    balancePaid: {
      title: "Solde payé",
      lead: (amount) => `Votre paiement de ${amount} est arrivé.`
    },
    nothingLeft: "Il ne reste rien à payer.",
    stillDue: (amount) => `Il reste ${amount} à payer pour votre réservation.`,
    changedSince: (amount) => `Votre réservation a changé depuis : ${amount} restent à payer.`,
    notNeeded: {
      title: "Ce paiement n’était pas nécessaire",
      lead: (amount) =>
        `Votre paiement de ${amount} est arrivé alors que c’était déjà payé, ou que votre réservation avait changé. Il ne compte pas, et votre réservation reste comme elle est.`,
      goesBack:
        "Votre paiement vous est rendu par le moyen que vous aviez utilisé. Les banques mettent quelques jours.",
      wentBack: "Votre paiement vous a été rendu par le moyen que vous aviez utilisé."
    },
    nothingDue: { title: "Il ne reste rien à payer", lead: "La page de paiement est fermée, et rien n’a été débité." },
    onItsWay: {
      title: "Votre paiement est en route",
      lead: (amount) => `Le paiement de ${amount} a été lancé, et l’argent n’est pas encore arrivé.`,
      more: "Certains moyens de paiement prennent des jours. Vous n’avez rien à faire : vos places sont gardées entre-temps, et la page de votre réservation montre quand l’argent est arrivé."
    },
    waiting: {
      title: "Nous attendons votre paiement",
      lead: "Le service de paiement ne nous a pas encore annoncé de paiement. Cela prend en général quelques secondes."
    },
    notPaid: { title: "Vous n’avez pas payé", lead: "Rien n’a été débité." },
    failed: { title: "Le paiement a échoué", lead: "Rien n’a été débité." },
    closed: { title: "Vous n’avez pas payé", lead: "La page de paiement est fermée, et rien n’a été débité." },
    ended: {
      title: "Votre réservation a pris fin",
      lead: "Elle n’a pas été payée à temps, et ses places sont de nouveau libres. Rien n’a été débité.",
      more: "Demandez à votre assistant de réserver à nouveau. Si un paiement arrive encore, il confirme la réservation si les places sont libres ; sinon, il vous est rendu."
    },
    goingBack: {
      title: "Votre argent vous est rendu",
      lead: "La réservation est terminée, et le paiement vous revient par le moyen que vous aviez utilisé. Les banques mettent quelques jours."
    },
    paidBack: {
      title: "Vous avez été remboursé",
      lead: "La réservation est terminée, et de l’argent vous est revenu par le moyen que vous aviez utilisé."
    },
    cancelled: {
      title: "Votre réservation est annulée",
      lead: "Ses places sont de nouveau libres. La page de votre réservation dit ce qu’il en est."
    },
    unavailable: {
      title: "Nous ne pouvons pas regarder pour le moment",
      lead: "Votre paiement est en sûreté auprès du service de paiement ; nous n’avons pas pu lui demander où il en est."
    },
    unknown: {
      title: "De retour de la page de paiement",
      lead: "Cette adresse n’ouvre aucune réservation.",
      more: "Demandez à votre assistant où en est votre réservation : il voit si le paiement est arrivé."
    },
    bookingStays: "Votre réservation reste comme elle est.",
    placesKept: (time) => `Vos places sont gardées jusqu’au ${time}, heure locale.`,
    payAgain: "Aller à la page de paiement",
    payOnBookingPage: "Vous pouvez payer sur la page de votre réservation.",
    reference: "La référence de votre réservation",
    looksByItself: "Cette page regarde de nouveau d’elle-même.",
    lookAgain: "Regarder de nouveau",
    bookingPage: "La page de votre réservation",
    linkRenewed:
      "La page de votre réservation a une nouvelle adresse depuis que vous avez ouvert la page de paiement. Demandez-la à votre assistant ou sur place.",
    closing: "Vous pouvez fermer cette page et retourner à votre assistant."
  },
  es: {
    confirmed: {
      title: "Su reserva está confirmada",
      lead: "Está pagada como se acordó, y sus plazas son suyas."
    },
    balancePaid: {
      title: "Resto pagado",
      lead: (amount) => `Su pago de ${amount} ha llegado.`
    },
    nothingLeft: "No queda nada por pagar.",
    stillDue: (amount) => `De su reserva quedan ${amount} por pagar.`,
    changedSince: (amount) => `Su reserva ha cambiado desde entonces: quedan ${amount} por pagar.`,
    notNeeded: {
      title: "Este pago no era necesario",
      lead: (amount) =>
        `Su pago de ${amount} llegó cuando eso ya estaba pagado o su reserva había cambiado. No cuenta, y su reserva queda como está.`,
      goesBack: "Su pago vuelve a usted por el mismo medio con que pagó. Los bancos tardan algunos días.",
      wentBack: "Su pago volvió a usted por el mismo medio con que pagó."
    },
    nothingDue: { title: "No queda nada por pagar", lead: "La página de pago está cerrada, y no se ha cobrado nada." },
    onItsWay: {
      title: "Su pago está en camino",
      lead: (amount) => `El pago de ${amount} se ha iniciado, y el dinero todavía no ha llegado.`,
      more: "Algunas formas de pago tardan días. No tiene que hacer nada: sus plazas se guardan mientras tanto, y la página de su reserva muestra cuándo ha llegado."
    },
    waiting: {
      title: "Estamos esperando su pago",
      lead: "El servicio de pago todavía no nos ha avisado de ningún pago. Suele tardar unos segundos."
    },
    notPaid: { title: "No ha pagado", lead: "No se ha cobrado nada." },
    failed: { title: "El pago ha fallado", lead: "No se ha cobrado nada." },
    closed: { title: "No ha pagado", lead: "La página de pago está cerrada, y no se ha cobrado nada." },
    ended: {
      title: "Su reserva ha terminado",
      lead: "No se pagó a tiempo, y sus plazas vuelven a estar libres. No se ha cobrado nada.",
      more: "Pida a su asistente que reserve de nuevo. Si aún llegara un pago, confirma la reserva si las plazas están libres; si no, se le devuelve."
    },
    goingBack: {
      title: "Se le devuelve su dinero",
      lead: "La reserva ha terminado, y el pago vuelve a usted por el mismo medio con que pagó. Los bancos tardan algunos días."
    },
    paidBack: {
      title: "Se le ha devuelto dinero",
      lead: "La reserva ha terminado, y el dinero volvió a usted por el mismo medio con que pagó."
    },
    cancelled: {
      title: "Su reserva está cancelada",
      lead: "Sus plazas vuelven a estar libres. La página de su reserva dice cómo ha quedado."
    },
    unavailable: {
      title: "Ahora no podemos mirarlo",
      lead: "Su pago está seguro en el servicio de pago; no hemos podido preguntar cómo está."
    },
    unknown: {
      title: "De vuelta de la página de pago",
      lead: "Esta dirección no abre ninguna reserva.",
      more: "Pregunte a su asistente cómo está su reserva: él ve si el pago ha llegado."
    },
    bookingStays: "Su reserva sigue como está.",
    placesKept: (time) => `Sus plazas se guardan hasta el ${time}, hora local.`,
    payAgain: "Ir a la página de pago",
    payOnBookingPage: "Puede pagar en la página de su reserva.",
    reference: "La referencia de su reserva",
    looksByItself: "Esta página vuelve a mirar por sí sola.",
    lookAgain: "Volver a mirar",
    bookingPage: "La página de su reserva",
    linkRenewed:
      "La página de su reserva tiene una dirección nueva desde que abrió la página de pago. Pídala a su asistente o en el local.",
    closing: "Puede cerrar esta página y volver a su asistente."
  },
  ja: {
    confirmed: {
      title: "ご予約が確定しました",
      lead: "お約束どおりのお支払いが済み、お席は確保されています。"
    },
    balancePaid: {
      title: "残金のお支払いが済みました",
      lead: (amount) => `${amount}のお支払いを確認しました。`
    },
    nothingLeft: "これ以上のお支払いはありません。",
    stillDue: (amount) => `ご予約のお支払いは、あと${amount}残っています。`,
    changedSince: (amount) => `その後ご予約が変更され、${amount}のお支払いが残っています。`,
    notNeeded: {
      title: "このお支払いは不要でした",
      lead: (amount) =>
        `${amount}のお支払いは、すでにお支払いが済んだ後、またはご予約の変更後に届きました。このお支払いは計上されず、ご予約はそのままです。`,
      goesBack: "お支払い時と同じ方法で返金されます。銀行の処理に数日かかります。",
      wentBack: "お支払い時と同じ方法で返金されました。"
    },
    nothingDue: { title: "お支払いは残っていません", lead: "支払いページは閉じられ、請求は行われていません。" },
    onItsWay: {
      title: "お支払いの手続き中です",
      lead: (amount) => `${amount}のお支払いが始まりましたが、まだ入金されていません。`,
      more: "お支払い方法によっては数日かかります。何もしていただく必要はありません。その間もお席は確保され、入金されるとご予約のページに表示されます。"
    },
    waiting: {
      title: "お支払いを確認しています",
      lead: "決済サービスからまだお支払いの連絡がありません。通常は数秒かかります。"
    },
    notPaid: { title: "お支払いは済んでいません", lead: "請求は行われていません。" },
    failed: { title: "お支払いができませんでした", lead: "請求は行われていません。" },
    closed: {
      title: "お支払いは済んでいません",
      lead: "支払いページは閉じられ、請求は行われていません。"
    },
    ended: {
      title: "ご予約は終了しました",
      lead: "期限までにお支払いがなかったため、お席は空きに戻りました。請求は行われていません。",
      more: "アシスタントに、もう一度予約するよう頼んでください。この後にお支払いが届いた場合、お席が空いていれば予約が確定し、空いていなければ返金されます。"
    },
    goingBack: {
      title: "返金の手続き中です",
      lead: "ご予約は終了し、お支払いはお支払い時と同じ方法で返金されます。銀行の処理に数日かかります。"
    },
    paidBack: {
      title: "返金されました",
      lead: "ご予約は終了し、お支払い時と同じ方法で返金されました。"
    },
    cancelled: {
      title: "ご予約はキャンセルされました",
      lead: "お席は空きに戻りました。詳しくはご予約のページをご覧ください。"
    },
    unavailable: {
      title: "現在確認できません",
      lead: "お支払いは決済サービスで安全に扱われています。状況を問い合わせることができませんでした。"
    },
    unknown: {
      title: "支払いページからお戻りになりました",
      lead: "このアドレスでは予約を開けません。",
      more: "ご予約の状況はアシスタントにお尋ねください。お支払いが届いたかどうかを確認できます。"
    },
    bookingStays: "ご予約はそのままです。",
    placesKept: (time) => `お席は現地時間の${time}まで確保されています。`,
    payAgain: "支払いページへ進む",
    payOnBookingPage: "ご予約のページでお支払いいただけます。",
    reference: "予約番号",
    looksByItself: "このページは自動的にもう一度確認します。",
    lookAgain: "もう一度確認する",
    bookingPage: "ご予約のページ",
    linkRenewed:
      "支払いページを開いた後に、ご予約のページのアドレスが変わりました。アシスタントまたは会場にお尋ねください。",
    closing: "このページを閉じて、アシスタントに戻ってください。"
  }
}
