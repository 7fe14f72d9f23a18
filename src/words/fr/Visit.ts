/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in French. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Encore ${duration}`,
    lessThanAMinute: "Encore moins d’une minute",
    over: "Le délai est écoulé : veuillez recharger la page.",
    until: (moment) => `jusqu’au ${moment}`,
    untilToday: (time) => `jusqu’à ${time}`,
    yours: (time) => `(chez vous : ${time})`,
    local: "Toutes les heures sont à l’heure locale de l’établissement."
  },
  page: {
    payTogether: (several, amount) => `Payer les ${several} en une fois : ${amount}`,
    eachAlone: "Chacune de ces réservations se modifie et s’annule séparément.",
    bookAgain: "Réserver à nouveau",
    bookAgainHow:
      "Demandez un autre horaire à votre assistant. Si vous n’en avez pas, voyez lesquels peuvent réserver ici, ou contactez l’établissement.",
    assistants: "Les assistants qui peuvent réserver",
    suspended: "L’établissement ne prend pas de nouvelles réservations ici pour le moment. La vôtre reste valable.",
    moved: (from) =>
      `Cette visite a été déplacée. Elle était prévue le ${from}. Si elle figure dans votre agenda, mettez-le à jour.`,
    otherRoom: (now, before) =>
      `Cette visite a désormais lieu dans une autre salle : ${now}. Elle était prévue dans la salle ${before}. Si elle figure dans votre agenda, mettez-le à jour.`,
    payTo: (operator) => `Vous payez ${operator} sur la page du prestataire de paiement, puis vous revenez ici.`,
    kept: "Conservé par l’établissement",
    byTerms: (when, amount) => `Annulée le ${when}. Selon les conditions, ${amount} étaient alors remboursables.`,
    byTermsNothing: (when) => `Annulée le ${when}. Selon les conditions, rien n’était alors remboursable.`,
    map: "Carte",
    directions: "Itinéraire",
    moveInstead: (until) => `Vous pouvez aussi changer d’horaire jusqu’au ${until}, sans rien annuler.`,
    earlier: "Le nouvel horaire est plus tôt, et les délais d’annulation avancent d’autant, définitivement.",
    earlierMoney: (now, then) =>
      `Si vous annulez maintenant, ${now} vous sont remboursés. Après le changement : ${then}.`
  },
  refundTable: {
    caption: "Remboursement si vous annulez",
    until: "Jusqu’au",
    ofPaid: (sum) => `sur les ${sum} payés`,
    ofDueNow: (sum) => `une fois les ${sum} payés`,
    ofAll: (sum) => `une fois la totalité (${sum}) payée`,
    nothing: "rien",
    afterwards: "ensuite"
  },
  calendars: {
    google: "Google Agenda",
    outlook: "Outlook.com"
  },
  invitation: {
    share: "Envoyer une invitation",
    shareLead:
      "Envoyez ce lien à vos invités. Ils voient où et quand, et rien d’autre : ni prix, ni noms, ni souhaits. Ils peuvent dire qu’ils viennent, et ne peuvent rien modifier.",
    shareOpen: "Voir l’invitation",
    title: "Vous êtes invités",
    ask: "Une question ? Adressez-vous à la personne qui vous a invités.",
    come: "Nous venons",
    childName: "Prénom de l’enfant",
    allergies: "Ce que l’enfant ne doit pas manger",
    allergiesHint: "Des allergies, par exemple. Sinon, laissez vide.",
    whoSees: "La personne qui vous invite le voit, et l’établissement aussi. Les autres invités ne le voient pas.",
    send: "Nous venons",
    thanks: "Merci : la personne qui vous invite le voit maintenant. Si un autre enfant vient, inscrivez-le aussi.",
    full: "Rien n’a été enregistré : la liste est complète. Prévenez la personne qui vous invite.",
    begun: "Rien n’a été enregistré : la visite a commencé.",
    wrong: "Rien n’a été enregistré. Vérifiez ce qui est signalé.",
    noName: "Indiquez un prénom de 60 caractères au maximum.",
    tooLong: "Écrivez 200 caractères au maximum.",
    guests: "Invités qui viennent",
    remove: "Retirer"
  },
  voucher: {
    title: "Bon cadeau",
    worth: "Valeur",
    left: "Reste sur le bon cadeau",
    until: "Valable jusqu’au",
    noEnd: "Il n’expire pas.",
    how: "Donnez le code en payant sur place, ou saisissez-le sur la page de votre réservation. Ce que vous ne dépensez pas reste sur le bon.",
    keep: "Quiconque a le code peut l’utiliser : gardez-le comme de l’argent liquide.",
    forWhom: "Pour",
    from: "De la part de",
    use: "J’ai un bon cadeau",
    lead: "Il paie ce qu’il y reste, sans dépasser ce qui est encore à payer.",
    code: "Code du bon cadeau",
    codeHint: "16 lettres et chiffres. Les tirets et les minuscules n’ont pas d’importance.",
    look: "Voir ce qu’il paie",
    pays: "Le bon cadeau paie",
    pay: (amount) => `Payer ${amount} par bon cadeau`,
    less: (due) =>
      `Le bon cadeau ne suffit pas à lui seul : ${due} de plus seraient à payer tout de suite. Demandez à l’établissement, ou payez en ligne ce qui est dû maintenant et le reste avec le bon.`,
    none: "Il n’y a pas de bon cadeau avec ce code. Vérifiez chaque lettre.",
    again: "Rien n’a été payé : quelque chose a changé depuis. Voici la situation actuelle.",
    refused: {
      slip: "Le code n’est pas saisi exactement comme il est imprimé. Vérifiez chaque lettre.",
      unknown: "Cet établissement n’a vendu aucun bon cadeau avec ce code.",
      voided: "Le bon cadeau n’est pas valable : sa vente a été annulée.",
      expired: "Le bon cadeau a expiré.",
      used_up: "Il ne reste rien sur le bon cadeau.",
      other_currency: "Le bon cadeau est dans une autre monnaie."
    }
  },
  buying: {
    title: "Acheter un bon cadeau",
    lead: "Il paie des visites et des fêtes dans cet établissement, en une fois ou en plusieurs.",
    amount: "Montant",
    bounds: (least, most) => `De ${least} à ${most}.`,
    valid: "Validité",
    recipient: "Pour qui (vide : une ligne à remplir)",
    greeting: "Une ligne de vœux (facultatif)",
    pay: "Payer en ligne",
    how: "Vous payez sur la page du prestataire de paiement. Le bon s’affiche ensuite, à imprimer ou à transmettre.",
    byLetter: "Un lien vous est aussi envoyé par e-mail.",
    none: "Cet établissement ne vend pas de bons cadeaux en ligne actuellement.",
    wrongAmount: (least, most) => `Saisissez un montant de ${least} à ${most}.`,
    greetingWrong: "Écrivez une ligne de 200 caractères au plus.",
    tooMany: "Plusieurs bons ont été commencés ici sans être payés. Réessayez dans une heure.",
    unavailable: "La page de paiement ne peut pas être créée pour l’instant. Réessayez dans quelques minutes.",
    openTitle: "Pas encore payé",
    open: "La page de paiement est encore ouverte.",
    goOn: "Continuer le paiement",
    processingTitle: "Le paiement est en cours",
    processing: "Le bon sera là dès que le paiement sera arrivé. Rouvrez alors cette page.",
    checkedTitle: "Le paiement est en cours de vérification",
    checked: "Ce n’est pas ce qui était demandé. L’établissement est prévenu et vous contactera.",
    overTitle: "Rien n’a été payé",
    over: "La page de paiement est fermée, il n’y a donc pas de bon.",
    subject: "Votre bon cadeau",
    thanks: "Merci. Voici la page du bon, à imprimer ou à transmettre.",
    openVoucher: "Ouvrir le bon",
    why: "Vous recevez cette lettre parce que cette adresse a été indiquée à l’achat du bon."
  },
  receipt: {
    title: "Reçu",
    from: "De",
    taxNumber: "Numéro de TVA",
    forWhom: "Pour",
    bookedOn: "Réservé le",
    payments: "Paiements",
    date: "Date",
    payment: "Paiement",
    paidBy: {
      cash: "Paiement en espèces",
      card: "Paiement par carte sur place",
      transfer: "Paiement par virement",
      voucher: "Paiement par bon cadeau"
    },
    refund: "Remboursement",
    refundOpen: "Remboursement en cours",
    refundWaits: "Remboursement pas encore envoyé",
    causes: {
      late_payment: "Payé après la perte des places",
      cancellation: "Suite à l’annulation",
      duplicate_payment: "Payé deux fois",
      dashboard: "Remboursé par l’établissement",
      dispute: "Par la banque, après une contestation",
      move: "Payé au-delà du prix",
      goodwill: "Geste commercial",
      misfit: "Pas le montant demandé"
    },
    nonePaid: "Rien n’a encore été payé.",
    left: "Reste à payer",
    printed: "Pour le conserver, imprimez cette page ou enregistrez-la en PDF.",
    notInvoice: "S’il vous faut une facture, demandez-la à l’établissement."
  }
}
