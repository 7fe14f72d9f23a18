/** Messages for families about their bookings, in French. */
import type { Family } from "../en/Family.ts"
import { standingMessage } from "../Message.ts"

export const family: Family = {
  booking: {
    what: "Quoi",
    where: "Où",
    who: "Qui",
    bookedBy: "Réservé par",
    notes: "Vos souhaits",
    quantity: "Nombre",
    amount: "Montant",
    lines: {
      children: "Enfants",
      extraChildren: "Enfants supplémentaires",
      adults: "Adultes",
      extraAdults: "Adultes supplémentaires",
      billedAs: (n) => `${n} facturés`,
      tax: (percent) => `Taxe (${percent})`,
      waived: "Non facturé (montant trop faible)",
      agreed: "Comme convenu auparavant"
    },
    tax: (percent, amount, included) =>
      `${included ? `Dont TVA (${percent})` : `Taxes en sus (${percent})`} : ${amount}`,
    by: (when) => `au plus tard le ${when}`,
    atVenue: "sur place",
    terms: "Si vos projets changent",
    rules: "Règlement intérieur",
    questions: "Questions",
    payNote: "Vous payez sur la page du prestataire de paiement, puis vous revenez ici.",
    payBalance: (amount) => `Payer le solde : ${amount}`,
    calendar: "Ajouter à l’agenda",
    calendarUpdate: "Mettre à jour l’agenda",
    disputed:
      "Un paiement de cette réservation est contesté auprès de la banque. Tant que la banque n’a pas décidé, rien d’autre n’est remboursé.",
    unclear:
      "Un paiement de cette réservation n’a pas pu être enregistré comme d’habitude, et quelqu’un s’en occupe. Si quelque chose vous semble inexact, contactez l’établissement.",
    sentBack: (amount, arrived) =>
      `Un paiement de ${amount} n’était pas celui demandé ; il vous ${arrived ? "a été" : "est"} remboursé par la même voie.`,
    secret: "Toute personne qui a l’adresse de cette page peut voir et modifier la réservation : gardez-la pour vous.",
    underWayTitle: "Cette réservation est en cours de modification",
    underWay:
      "Une autre modification de cette réservation est en cours ; rien n’a donc été modifié. Revenez dans une minute.",
    faults: {
      changed: "Il n’y a rien à payer ici pour le moment. Voici où en est la réservation.",
      stale: "Quelque chose a changé entre-temps ; rien n’a été débité. Voici où en est la réservation.",
      operator:
        "L’établissement ne peut pas recevoir de paiement en ligne pour le moment. Contactez-le. Rien n’a été débité.",
      provider: "La page de paiement est inaccessible pour le moment. Réessayez dans une minute. Rien n’a été débité."
    }
  },
  /** The page where a booking can be paid and nothing else. */
  payPage: {
    title: "Payer votre réservation",
    /** Precedes the operator's name. */
    payee: "Bénéficiaire",
    thenConfirmed: "Une fois le paiement effectué, la réservation est confirmée.",
    thenPaid: "Une fois ce paiement effectué, il ne reste rien à payer."
  },
  cancel: {
    title: "Annuler cette réservation ?",
    nothingPaid: "Rien, car rien n’a été payé.",
    all: (refund) => `Tout ce que vous avez payé : ${refund}.`,
    part: (refund, paid) => `${refund} sur les ${paid} que vous avez payés.`,
    none: (paid) => `Rien : les ${paid} payés ne sont pas remboursés.`,
    wentBackBefore: (amount) => `${amount} vous ont déjà été remboursés.`,
    nothingMore: "Rien de plus n’est remboursé.",
    alreadyOnItsWay: (amount) => `Un remboursement de ${amount} est déjà en cours.`,
    stillArrives: "Si un paiement de votre part arrive encore, il vous est remboursé en totalité.",
    notAsked:
      "Nous n’avons pas pu demander au prestataire de paiement si une partie de votre argent vous a déjà été remboursée. Nous le lui demanderons avant d’envoyer le remboursement, qui sera réduit d’autant.",
    places: "Vos places se libèrent aussitôt pour d’autres. C’est irréversible.",
    cancel: "Annuler la réservation",
    keep: "Garder la réservation",
    changed: "Rien n’a été annulé : quelque chose a changé entre-temps. Voici la situation actuelle.",
    begunTitle: "Votre visite a commencé",
    begun: "Elle ne peut plus être annulée ici."
  },
  move: {
    move: "Déplacer la réservation",
    chooseDay: "Choisir un autre jour",
    chooseTime: "Choisir une heure",
    now: (when) => `Votre visite est prévue le ${when}.`,
    rule: (until) =>
      `Jusqu’au ${until}, vous pouvez la déplacer vous-même à l’un de ces horaires. Si un horaire coûte plus ou moins cher, son prix est indiqué.`,
    times: { one: "# horaire", other: "# horaires" },
    noneIn: (month) => `Rien n’est libre en ${month} pour votre groupe.`,
    noneOn: (day) => `Rien n’est libre le ${day} pour votre groupe.`,
    months: "Mois",
    anotherDay: "Un autre jour",
    title: "Déplacer cette réservation ?",
    from: "Jusqu’ici",
    to: "Désormais",
    stays: (total) => `Prix inchangé : ${total}.`,
    waived: (amount) => `La différence de ${amount} est trop faible pour être facturée : vous ne la payez pas.`,
    goodwill: (amount) =>
      `${amount} ont été remboursés à titre de geste commercial. Cela reste acquis et n’est pas compté ici.`,
    instead: (total, before) => `${total} au lieu de ${before}.`,
    more: (amount) => `${amount} de plus qu’avant.`,
    less: (amount) => `${amount} de moins qu’avant.`,
    nothingBack: "Rien : vous n’avez pas payé plus que le nouveau prix.",
    counted: (when) =>
      `Ce qui est remboursé en cas d’annulation se compte à partir du ${when} : déplacer la visite ne l’augmente pas.`,
    confirm: "Déplacer la réservation",
    anotherTime: "Une autre heure",
    changed: "Rien n’a été déplacé : quelque chose a changé entre-temps. Voici la situation actuelle.",
    tooMany:
      "Rien n’a été déplacé : ce jour compte déjà le nombre maximal de réservations gratuites ou non payées. Choisissez un autre jour, ou contactez l’établissement.",
    gone: "Rien n’a été déplacé : cet horaire n’est plus disponible. Ceux-ci sont libres.",
    sorryTitle: "Impossible de déplacer ici pour l’instant",
    notFree: "Les conditions de votre réservation ne permettent pas de la déplacer sans frais maintenant.",
    begun: "Votre visite a commencé.",
    payment:
      "Un paiement pour cette réservation est ouvert ou en cours. Réessayez quand il sera arrivé, ou dans une demi-heure.",
    refund: "Un remboursement est en cours. Réessayez quand il sera arrivé.",
    otherCurrency:
      "Les prix sont maintenant dans une autre monnaie que celle de votre réservation, qui ne peut donc pas être déplacée. Vous pouvez l’annuler et réserver à nouveau.",
    notSold: "D’autres horaires ne peuvent pas être réservés maintenant."
  },
  access: {
    saidName: (name) => `Il se présente comme « ${name} ».`,
    unconfirmed: "Personne n’a confirmé de qui il s’agit.",
    bookedThrough: "Réservé par",
    ended: "Son accès a pris fin.",
    end: "Mettre fin à son accès",
    title: (who) => `Mettre fin à l’accès de ${who} ?`,
    lead: "Il ne pourra plus voir vos réservations, en faire de nouvelles ni obtenir de liens de paiement. Pour l’utiliser de nouveau, reconnectez-le.",
    joined: "Assistants qui y ont aussi accès",
    since: (date) => `Depuis le ${date}.`,
    mayChange: "Il peut voir, modifier et payer cette réservation.",
    mayPay: "Il peut voir et payer cette réservation.",
    remove: "Retirer son accès",
    removeTitle: (who) => `Retirer l’accès de ${who} ?`,
    removeLead: "Il ne pourra plus voir, modifier ni payer cette réservation.",
    again:
      "Toute personne qui a l’adresse de cette page peut connecter de nouveau un assistant. Si une personne non autorisée la connaît, demandez une nouvelle adresse à l’établissement.",
    another:
      "Pour poursuivre avec un autre assistant, connectez-le en tant qu’invité et collez l’adresse de cette page quand elle vous est demandée.",
    stays: "Vos réservations restent inchangées, et cette page aussi."
  },
  terms: {
    nothingToPay: "Il n’y a rien à payer.",
    deposit: (amount, kept) => `Acompte : ${amount}${kept ? " (non remboursable)" : ""}.`,
    wentBack: (amount) => `${amount} ont déjà été remboursés.`,
    nothingBack: "Rien n’est remboursé en cas d’annulation.",
    nothingMoreBack: "Rien de plus n’est remboursé.",
    headcountBy: (when) =>
      `Jusqu’au ${when}, vous pouvez modifier vous-même le nombre d’enfants sur la page de votre réservation.`,
    growsBy: (when) =>
      `Jusqu’au ${when}, vous pouvez ajouter vous-même des participants sur la page de votre réservation, mais pas en réduire le nombre.`,
    headcountFinal: "Le nombre d’enfants est définitif.",
    moveUntil: (when) => `Changement d’horaire gratuit jusqu’au ${when}.`,
    restAtVenue: "Le reste se paie sur place.",
    releasedAt: (when) => `Si le solde n’est pas payé au plus tard le ${when}, vos places sont libérées.`
  },
  standings: {
    to_pay: standingMessage(
      "Vos places sont retenues",
      ({ amount }) => `Payez ${amount} d’ici là, et la réservation est confirmée.`
    ),
    payment_failed: standingMessage(
      "Le paiement n’a pas abouti",
      "Rien n’a été débité, et vos places restent retenues : vous pouvez réessayer."
    ),
    not_payable: standingMessage("Vos places sont retenues", ({ sent_back }) =>
      sent_back === ""
        ? "L’établissement ne peut pas recevoir de paiement ici pour le moment. Contactez-le avant la fin du délai. Rien n’a été débité."
        : "L’établissement ne peut pas recevoir de paiement ici pour le moment. Contactez-le avant la fin du délai."
    ),
    payment_processing: standingMessage(
      "Votre paiement est en cours",
      "Certains moyens de paiement prennent plusieurs jours. Vos places sont gardées jusqu’à l’arrivée de l’argent ; vous n’avez rien à faire."
    ),
    payment_under_review: standingMessage(
      "Nous vérifions votre paiement",
      ({ in_question }) =>
        `Un paiement de ${in_question} est arrivé qui n’est pas celui demandé, et quelqu’un s’en occupe. Vos places sont gardées en attendant. Ne payez pas une deuxième fois.`
    ),
    arriving: standingMessage(
      "Nous vérifions votre paiement",
      "Le délai de paiement est écoulé, mais un paiement a pu être fait au dernier moment. Revenez voir dans une minute."
    ),
    free: standingMessage("Votre réservation est confirmée", "Il n’y a rien à payer. Bonne visite !"),
    paid: standingMessage("Votre réservation est confirmée", ({ comes_back, paid_back }) =>
      comes_back === "" && paid_back === ""
        ? "Tout est payé. Bonne visite !"
        : "Il n’y a plus rien à payer. Bonne visite !"
    ),
    confirmed_paid_back: standingMessage("Votre paiement a été remboursé", ({ comes_back, paid_back }) =>
      comes_back === ""
        ? `${paid_back} vous ont été remboursés, mais votre réservation n’a pas été annulée. Demandez à l’établissement si votre visite a bien lieu. Vous n’avez pas à payer de nouveau.`
        : `${comes_back} vous sont remboursés, mais votre réservation n’a pas été annulée. Demandez à l’établissement si votre visite a bien lieu. Vous n’avez pas à payer de nouveau.`
    ),
    balance_due: standingMessage("Votre réservation est confirmée", ({ amount, online, until }) =>
      online
        ? `Il reste ${amount} à payer, au plus tard le ${until}.`
        : until === ""
          ? `Il reste ${amount} à payer sur place, le jour de votre visite.`
          : `Il reste ${amount} à payer, au plus tard le ${until} : sur place, et non sur cette page.`
    ),
    balance_overdue: standingMessage("Votre réservation est confirmée", ({ amount, online, until }) =>
      online
        ? `Le solde de ${amount} est dû depuis le ${until}. Merci de le payer maintenant.`
        : `Le solde de ${amount} est dû depuis le ${until}. Merci de le payer sur place.`
    ),
    balance_processing: standingMessage(
      "Votre réservation est confirmée",
      ({ amount }) => `Votre paiement de ${amount} est en cours ; vous n’avez rien à faire.`
    ),
    confirmed_under_review: standingMessage(
      "Votre réservation est confirmée",
      ({ in_question }) =>
        `Un paiement de ${in_question} est arrivé qui n’est pas celui demandé, et quelqu’un s’en occupe. Ne payez pas une deuxième fois.`
    ),
    over: standingMessage("Votre visite est passée", ({ amount }) =>
      amount === ""
        ? "Merci de votre visite."
        : `Merci de votre visite. Il reste ${amount} à payer : adressez-vous à l’établissement.`
    ),
    did_not_come: standingMessage("Vous n’êtes pas venus", ({ amount }) =>
      amount === ""
        ? "C’est ce qu’a noté l’établissement. Si c’est une erreur, adressez-vous à lui."
        : `C’est ce qu’a noté l’établissement. Il reste ${amount} à payer. Si c’est une erreur, adressez-vous à lui.`
    ),
    released: standingMessage("Vos places ont été libérées", ({ comes_back, in_question, paid, paid_back }) => {
      const lead =
        "Le solde n’a pas été payé à temps ; les places sont donc de nouveau libres, comme le prévoient les conditions de la réservation."
      if (in_question !== "")
        return `${lead} Un paiement de ${in_question} est arrivé qui n’est pas celui demandé, et quelqu’un s’en occupe.`
      if (comes_back !== "") return `${lead} ${comes_back} vous sont remboursés.`
      if (paid_back !== "") return `${lead} ${paid_back} vous ont été remboursés.`
      return paid === "" ? lead : `${lead} Les ${paid} payés ne sont pas remboursés.`
    }),
    expired: standingMessage("Votre réservation a expiré", ({ sent_back }) =>
      sent_back === ""
        ? "Elle n’a pas été payée à temps et ses places sont de nouveau libres. Rien n’a été débité."
        : "Elle n’a pas été payée à temps et ses places sont de nouveau libres."
    ),
    expired_under_review: standingMessage(
      "Votre réservation a expiré",
      ({ in_question }) =>
        `Un paiement de ${in_question} est arrivé qui n’est pas celui demandé, et quelqu’un s’en occupe. Il confirme la réservation si ses places sont encore libres, sinon il vous est remboursé.`
    ),
    expired_processing: standingMessage(
      "Votre réservation a expiré",
      "Le paiement a été fait trop tard et est encore en cours de traitement. S’il aboutit, il confirme la réservation si ses places sont libres ; sinon, il vous est remboursé."
    ),
    expired_going_back: standingMessage("Votre réservation a expiré", ({ comes_back }) =>
      comes_back === ""
        ? "Le paiement est arrivé alors que les places n’étaient plus libres ; il vous est remboursé."
        : `Le paiement est arrivé alors que les places n’étaient plus libres. ${comes_back} vous sont remboursés.`
    ),
    expired_paid_back: standingMessage(
      "Votre réservation a expiré",
      ({ paid_back }) =>
        `Le paiement est arrivé alors que les places n’étaient plus libres. ${paid_back} vous ont été remboursés.`
    ),
    cancelled: standingMessage("Votre réservation est annulée", ({ sent_back }) =>
      sent_back === "" ? "Rien n’a été payé et il n’y a rien à payer." : "Il n’y a rien à payer."
    ),
    cancelled_kept: standingMessage(
      "Votre réservation est annulée",
      ({ paid }) => `Selon les conditions de la réservation, les ${paid} payés ne sont pas remboursés.`
    ),
    cancelled_under_review: standingMessage(
      "Votre réservation est annulée",
      ({ in_question }) =>
        `Un paiement de ${in_question} est arrivé qui n’est pas celui demandé. Quelqu’un s’en occupe, et il vous est remboursé.`
    ),
    cancelled_processing: standingMessage(
      "Votre réservation est annulée",
      "Un paiement est encore en cours de traitement. S’il aboutit, il vous sera remboursé."
    ),
    cancelled_going_back: standingMessage("Votre réservation est annulée", ({ comes_back }) =>
      comes_back === "" ? "Votre argent vous est remboursé." : `${comes_back} vous sont remboursés.`
    ),
    cancelled_paid_back: standingMessage(
      "Votre réservation est annulée",
      ({ paid_back }) => `${paid_back} vous ont été remboursés.`
    )
  },
  afterPaying: {
    arrived: (amount) => `Nous avons bien reçu votre paiement de ${amount}.`,
    waiting: {
      title: "Nous attendons votre paiement",
      lead: "Le prestataire de paiement ne nous a pas encore annoncé de paiement. Cela prend en général quelques secondes."
    },
    looksByItself: "Cette page s’actualise automatiquement.",
    onItsWay: (amount) => `Le paiement de ${amount} a été lancé, mais l’argent ne nous est pas encore parvenu.`,
    notPaid: "Vous n’avez pas payé. Rien n’a été débité.",
    failed: "Le paiement a échoué. Rien n’a été débité.",
    closed: "La page de paiement est fermée, et rien n’a été débité.",
    late: "Demandez à votre assistant de réserver à nouveau. Si un paiement arrive encore, il confirme la réservation si les places sont libres ; sinon, il vous est remboursé.",
    notNeeded: (amount) =>
      `Votre paiement de ${amount} est arrivé alors que cette somme était déjà payée ou que votre réservation avait changé. Il n’est pas pris en compte, et votre réservation reste inchangée.`,
    wentBack: "Votre paiement vous a été remboursé par le moyen de paiement utilisé.",
    underReview: (amount) =>
      `Votre paiement de ${amount} est arrivé, et ce n’est pas celui demandé. Quelqu’un s’en occupe, et la page de votre réservation montre ce qu’il en advient. Ne payez pas une deuxième fois.`,
    payAgain: "Aller à la page de paiement",
    linkRenewed:
      "La page de votre réservation a une nouvelle adresse depuis que vous avez ouvert la page de paiement. Demandez-la à votre assistant ou à l’établissement.",
    linkGiven: "La page de votre réservation s’ouvre avec le lien reçu lors de la réservation.",
    unavailable: {
      title: "Nous ne pouvons pas vérifier pour le moment",
      lead: "Votre paiement est en sûreté auprès du prestataire de paiement ; nous n’avons pas pu lui demander où il en est."
    },
    unknown: {
      title: "De retour de la page de paiement",
      lead: "Aucune réservation ne correspond à cette adresse.",
      more: "Demandez à votre assistant où en est votre réservation : il voit si le paiement est arrivé."
    },
    closing: "Vous pouvez fermer cette page et retourner à votre assistant."
  }
}
