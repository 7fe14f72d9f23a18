/**
 * Messages of the page on which a family changes its party, in French.
 */
import type { Party } from "../en/Party.ts"

export const party: Party = {
  party: {
    change: "Modifier votre groupe",
    changeDetails: "Modifier vos souhaits",
    lead: (until) =>
      `Jusqu’au ${until}, vous pouvez modifier tout cela vous-même. Avant toute modification, vous voyez ce qu’elle coûte ou ce qui vous est remboursé.`,
    detailsOnly:
      "Le nom, l’adresse e-mail, le téléphone, les âges et les souhaits peuvent être modifiés jusqu’au début de votre visite. C’est gratuit.",
    correct: "Corriger le nom ou l’adresse",
    contactOnly: "Si votre nom, votre adresse e-mail ou votre téléphone comporte une erreur, corrigez-la ici.",
    headcountFinal: (when) =>
      `Le nombre de participants est définitif depuis le ${when}. Pour le modifier, contactez l’établissement.`,
    growsOnly:
      "Votre groupe peut s’agrandir, mais pas diminuer. Si vous êtes moins nombreux, contactez l’établissement.",
    notSold:
      "Ce que vous avez réservé n’est plus proposé ainsi : le groupe ne peut pas être modifié ici. Contactez l’établissement.",
    ages: "Âges des enfants",
    agesHint: "Un pour chaque enfant, par exemple 4, 5, 5. Ou laissez vide.",
    agesPriced: "Un pour chaque enfant, par exemple 4, 5, 5. Le prix en dépend : sans eux, c’est le plus élevé.",
    extras: "Options",
    perChild: (price) => `${price} par enfant`,
    each: (price) => `${price} l’unité`,
    name: "Nom",
    emailHint:
      "Si vous la corrigez, les messages et un nouveau lien vont à la nouvelle adresse, et les liens précédents cessent de fonctionner.",
    phone: "Téléphone",
    check: "Voir ce que cela change",
    title: "Modifier cette réservation ?",
    none: "aucun",
    before: (value) => `Jusqu’ici : ${value}`,
    costsNothing: "C’est gratuit.",
    confirm: "Modifier la réservation",
    edit: "Revenir aux modifications",
    changed: "Rien n’a été modifié : autre chose a changé entre-temps. Voici la situation actuelle.",
    same: "Vous n’avez encore rien modifié.",
    tooMany:
      "Rien n’a été modifié : ce jour compte déjà le nombre maximal de réservations gratuites ou non payées. Contactez l’établissement.",
    errors: {
      lead: "Rien n’a été modifié. Vérifiez les champs signalés.",
      number: "Indiquez un nombre entier.",
      children: (least, most) => `Votre formule est prévue pour ${least} à ${most} enfants.`,
      adults: (most) => `${most} adultes au maximum.`,
      ages: (n) => `Indiquez ${n} âges, un par enfant, ou aucun.`,
      ageRange: (from, to) =>
        `Cette salle de jeux accueille les enfants de ${from} à ${to} ans. Seul l’établissement peut faire une exception.`,
      room: (left) => `À cet horaire, il y a de la place pour ${left} enfants au maximum.`,
      extra: (most) => `${most} au maximum à cet horaire.`,
      name: "Veuillez indiquer un nom.",
      email: "Veuillez indiquer une adresse e-mail, comme ana@example.com.",
      phone: "Indiquez un numéro de téléphone, par exemple +33 1 70 18 99 00.",
      notes: "Écrivez 1 000 caractères au maximum.",
      closed: "L’établissement est fermé à cet horaire : rien n’a été modifié. Contactez l’établissement."
    }
  },
  venueAsks: {
    title: "Questions de l’établissement",
    lead: "Vos réponses vont à l’établissement. Vous pouvez les modifier jusqu’au début de votre visite.",
    open: {
      one: "L’établissement a # question pour vous avant votre visite.",
      other: "L’établissement a # questions pour vous avant votre visite."
    },
    answer: "Répondre",
    change: "Modifier vos réponses",
    needed: "L’établissement a besoin de cette réponse.",
    choose: "Veuillez choisir",
    save: "Enregistrer vos réponses",
    again: "Rien n’a été enregistré : quelque chose a changé entre-temps. Veuillez relire vos réponses.",
    stored: (answer) => `Enregistré entre-temps : ${answer}`,
    tooLong: "Écrivez 500 caractères au maximum.",
    notOffered: "Choisissez l’une des réponses.",
    answers: "Réponses",
    unanswered: "Pas encore de réponse"
  }
}
