/** Messages des lettres aux familles et des pages qui vont avec, en français. */
import type { Letters } from "../en/Letters.ts"

export const letters: Letters = {
  letters: {
    changed: {
      heading: "Votre réservation a été modifiée",
      lead: "Voici où elle en est maintenant."
    },
    before: "Avant",
    now: "Maintenant",
    balanceDue: {
      heading: "Un paiement est bientôt dû",
      lead: ({ amount, online, until }) =>
        online
          ? `Il reste ${amount} à payer, au plus tard le ${until}. Vous pouvez payer sur la page de votre réservation.`
          : `Il reste ${amount} à payer, au plus tard le ${until}, sur place.`
    },
    visit: { heading: "Votre visite approche", lead: (when: string) => `À bientôt : ${when}.` },
    refundFailed: {
      heading: "Un remboursement n’est pas arrivé",
      lead: (amount: string) =>
        `${amount} n’ont pas pu vous être remboursés : votre banque ou votre carte a refusé le versement. Cette somme vous est toujours due. Veuillez demander à l’établissement comment la recevoir.`
    },
    sentBack: "Un paiement vous est remboursé",
    link: {
      heading: "Le lien de votre réservation",
      lead: "Quelqu’un, sans doute vous, a demandé le lien de la page de cette réservation.",
      unasked: "Si ce n’était pas vous, vous n’avez rien à faire : le lien n’a été envoyé qu’à cette adresse."
    },
    booked: { heading: "Votre réservation", lead: "L’établissement a fait cette réservation pour vous." },
    readdressed: {
      heading: "L’adresse e-mail d’une réservation a été corrigée",
      lead: "Les messages sur cette réservation vont désormais à une autre adresse. Les liens des messages précédents n’ouvrent plus rien.",
      unasked: "Cette réservation est la vôtre et vous ne vouliez pas ce changement ? Prévenez l’établissement."
    },
    fromVenue: {
      heading: "Un message de l’établissement",
      lead: "L’établissement vous écrit au sujet de votre réservation :"
    },
    placesBack: {
      heading: "Des places se sont libérées",
      lead: "Vous êtes sur la liste d’attente : ces places sont maintenant réservées pour vous."
    },
    placesLapse:
      "Vous n’en voulez plus ? Vous n’avez rien à faire : elles iront à la famille suivante, et vous ne serez plus sur la liste.",
    openPage: "Ouvrir la page de votre réservation",
    entry: "L’événement joint contient le lieu et l’horaire, pour votre agenda.",
    newEntry: "L’événement joint remplace celui de votre agenda.",
    entryRemoved: "L’événement joint retire celui de votre agenda. S’il y figure encore ensuite, supprimez-le.",
    why: (reference: string) =>
      `Vous recevez ce message parce que cette adresse a été donnée pour la réservation ${reference}.`,
    secret: "Toute personne qui a le lien de ce message peut voir et modifier la réservation : gardez-le pour vous.",
    stop: "Ne plus recevoir de rappels"
  },
  waiting: {
    title: "Liste d’attente",
    lead: "Ces places sont prises. Les voulez-vous si elles se libèrent ?",
    how: (time) =>
      `Les places qui se libèrent sont réservées pour une famille après l’autre, ${time} pour chacune. Un message le lui dit, avec le lien pour payer. Qui ne paie pas à temps n’est plus sur la liste.`,
    join: "Rejoindre la liste d’attente",
    full: "Il n’y a pas de place pour vous sur cette liste : elle est pleine, ou cette adresse e-mail attend déjà cinq visites.",
    freeTitle: "Il y a des places",
    free: "Inutile d’attendre : ces places peuvent être réservées maintenant.",
    noneTitle: "Il n’y a pas de liste d’attente",
    none: "On ne peut pas attendre cette visite : elle est trop proche, n’est plus vendue ainsi, ou l’établissement n’a pas de liste d’attente.",
    onTitle: "Vous êtes sur la liste d’attente",
    on: (email) => `Si les places se libèrent, un message part à ${email}.`,
    leave: "Quitter la liste",
    offTitle: "Vous n’êtes pas sur la liste d’attente",
    off: "Vous l’avez quittée, ou des places ont été réservées pour vous : un message en donne alors le lien."
  },
  reminders: {
    title: "Ne plus recevoir de rappels ?",
    lead: "Vous ne recevrez plus, à cette adresse, de rappels de paiements ni de visites. Vous recevrez toujours les messages sur les changements et les remboursements.",
    stop: "Ne plus recevoir de rappels",
    stoppedTitle: "Les rappels sont désactivés",
    stoppedLead: "Plus aucun rappel n’est envoyé à cette adresse.",
    resume: "Recevoir de nouveau les rappels"
  },
  findBooking: {
    title: "Retrouver votre réservation",
    lead: "Indiquez le numéro de réservation et l’adresse e-mail de votre réservation. Le lien est alors envoyé à cette adresse.",
    email: "Adresse e-mail",
    send: "Envoyer le lien",
    wrong: "Indiquez un numéro de réservation comme K7M2-9QXD et une adresse e-mail.",
    tooOften:
      "Ce numéro de réservation a été saisi trop souvent depuis votre réseau. Veuillez réessayer dans une heure.",
    sentTitle: "Consultez votre boîte mail",
    sentLead:
      "Si cette réservation existe, son lien est en route vers l’adresse e-mail de la réservation. Cela prend quelques minutes au plus.",
    sentMore:
      "Rien n’est arrivé ? Vérifiez le numéro de réservation et l’adresse, ainsi que le dossier des indésirables.",
    again: "Réessayer",
    askLead: "Ce service n’envoie pas d’e-mails.",
    ask: "Demandez le lien de votre réservation à l’établissement : il lui faut le numéro de réservation et votre nom. Ou demandez-le à l’assistant avec lequel vous avez réservé."
  }
}
