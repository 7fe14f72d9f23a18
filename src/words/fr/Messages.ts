/** All messages for people, in French. */
import type { Messages } from "../en/Messages.ts"
import { desk } from "./Desk.ts"
import { family } from "./Family.ts"
import { letters } from "./Letters.ts"
import { party } from "./Party.ts"
import { rooms } from "./Rooms.ts"
import { visit } from "./Visit.ts"

export const fr: Messages = {
  locale: "fr",
  words: {
    reference: "Numéro de réservation",
    visit: "Visite",
    when: "Quand",
    price: "Prix",
    total: "Total",
    paid: "Payé",
    dueNow: "À payer maintenant",
    balance: "À payer plus tard",
    refunded: "Remboursé",
    refunding: "En cours de remboursement",
    comesBack: "Remboursement",
    presented: (theirs, ours) => `Vous avez payé ${theirs} (${ours}).`,
    together: "Réservées ensemble",
    confirmed: "Confirmé",
    cancelled: "Annulé",
    email: "E-mail",
    children: { one: "# enfant", other: "# enfants" },
    adults: { one: "# adulte", other: "# adultes" },
    ages: (ages) => `âges : ${ages}`,
    pay: (amount) => `Payer ${amount}`,
    lookAgain: "Actualiser",
    toBooking: "Retour à votre réservation",
    leaveAsItIs: "Ne rien changer",
    ownDevice: "un programme sur votre propre appareil",
    followedBy: (one, next) => `${one} ${next}`,
    backByBank: "L’argent vous est remboursé par le moyen de paiement utilisé, en général sous 5 à 10 jours ouvrés.",
    backByVenue:
      "Le remboursement suit le moyen de paiement : l’établissement vous rembourse lui-même, ou la somme revient sur votre bon cadeau.",
    backByBoth: (bank, venue) =>
      `${bank} vous sont remboursés par le moyen de paiement utilisé, en général sous 5 à 10 jours ouvrés. Pour les ${venue} restants, l’établissement vous rembourse lui-même, ou la somme revient sur votre bon cadeau.`,
    backAfterDispute: (amount) =>
      `${amount} ne sont envoyés qu’une fois que votre banque a tranché au sujet du paiement contesté, déduction faite de ce qu’elle vous rend elle-même.`,
    backOnceOpen: (amount) =>
      `${amount} ne peuvent pas encore être envoyés, car le compte de l’établissement chez le prestataire de paiement est fermé pour le moment. Vous serez remboursé dès qu’il sera rouvert. L’établissement est au courant.`,
    comma: ", ",
    clock: (time) => time,
    bring: "À apporter",
    askVenue: "Contactez l’établissement :",
    askAtVenue: "Adressez-vous sur place :"
  },
  landing: {
    lead: "Votre assistant IA trouve ici une salle de jeux pour enfants, la réserve et vous remet un lien de paiement.",
    how: "Il voit quelles salles conviennent à votre groupe, quand elles sont libres et le prix exact de chaque créneau. Le créneau que vous choisissez est retenu pendant que vous payez.",
    payment: "Vous payez sur la page du prestataire de paiement. Votre assistant ne voit jamais votre carte.",
    book: "Réserver une visite",
    venuesHeading: "Vous tenez une salle de jeux",
    venues:
      "Les familles réservent vos salles avec les assistants qu’elles utilisent déjà, paient sur votre propre compte, et modifient ou annulent selon vos conditions. Une page à vous montre qui vient et quand. C’est le responsable de ce service qui vous inscrit.",
    askHeading: "Ce que vous pouvez demander",
    asks: [
      "« Trouve une salle de jeux près d’ici pour huit enfants samedi après-midi. »",
      "« Combien cela coûte-t-il, et que récupère-t-on en cas d’annulation ? »",
      "« Réserve-nous celle de 14 heures. »"
    ],
    connectHeading: "Connecter votre assistant",
    signInHeading: "Assistants où l’on se connecte",
    signIn:
      "Dans les réglages de votre assistant, ajoutez un connecteur (parfois appelé application ou serveur MCP) avec cette adresse. Une de nos pages vous demande ensuite votre accord.",
    signInWays: {
      guest: "Ni compte ni clé ne sont nécessaires.",
      key: "Vous y collez votre clé d’API.",
      both: "Aucun compte n’est nécessaire : continuez en tant qu’invité, ou collez une clé d’API."
    },
    localOnly:
      "Cette adresse n’existe que sur cet ordinateur, et les assistants du web ne peuvent pas l’atteindre : il leur faut une adresse https publique, comme celle d’un serveur ou d’un tunnel.",
    noSignIn:
      "On ne peut pas se connecter à ce service : les assistants qui ne peuvent pas envoyer de clé peuvent donc y chercher, mais pas réserver.",
    headerHeading: "Assistants et programmes qui envoient votre clé",
    header:
      "Donnez-leur cette adresse, et votre clé dans l’en-tête `X-API-Key`. Dans le texte copié, remplacez `YOUR_KEY` par la clé.",
    keyless:
      "Sans clé, ils peuvent chercher et voir les créneaux libres. Pour réserver et payer, il en faut une : l’exploitant de ce service vous la donne.",
    inFile: (file) => `Dans \`${file}\` :`,
    inShell: "Dans un terminal :",
    bearerHeading: "Programmes qui envoient un seul jeton",
    bearer: "L’adresse est la même, et la clé sert de jeton « bearer » :",
    knownHeading: "Ce qui fonctionne, et comment on le sait",
    known:
      "« Essayé » : les tests de ce service le font. « À la main » : nous avons connecté cette version nous-mêmes. « Selon sa documentation » : l’éditeur le dit, et nous ne l’avons pas essayé.",
    host: "Assistant",
    sends: "Se connecte avec",
    evidence: "Comment on le sait",
    ways: { header: "une clé dans un en-tête", bearer: "une clé comme jeton", sign_in: "une connexion" },
    tried: "essayé",
    byHand: (version) => `à la main, avec ${version}`,
    documented: "selon sa documentation",
    more: "Pour les développeurs",
    documentation: "Documentation",
    openapi: "Document OpenAPI",
    health: "État du service",
    onboarding: {
      done: "Merci. L’exploitant de ce service voit s’il manque encore quelque chose au prestataire de paiement, et vous le fait savoir.",
      expired: "Ce lien a déjà servi, ou a expiré. Demandez-en un nouveau à l’exploitant de ce service."
    }
  },
  signIn: {
    title: (host) => `Connecter ${host} ?`,
    lead: (host) =>
      `${host} souhaite trouver et réserver des salles de jeux pour vous, et obtenir des liens de paiement.`,
    titleLocal: "Connecter un programme de votre appareil ?",
    leadLocal:
      "Un programme de votre appareil souhaite trouver et réserver des salles de jeux pour vous, et obtenir des liens de paiement.",
    who: "Qui fait la demande",
    proven: "Cette adresse est confirmée.",
    unproven: (name) => `Ce programme se présente comme « ${name} ». Personne n’a vérifié ce nom.`,
    unprovenNameless: "Personne n’a vérifié de qui il s’agit.",
    backTo: "Vous serez renvoyé vers",
    mayDo: "Ce qui sera permis",
    scopes: {
      "bookings:read": "Voir les réservations faites par cette connexion, et celles d’avant que vous lui ouvrez",
      "bookings:write": "Retenir et réserver des places dans des salles de jeux",
      "payments:write": "Créer des liens pour que vous payiez. Il ne peut pas payer lui-même."
    },
    notYou: "Si vous n’avez pas lancé cette demande à l’instant, refusez.",
    keyHeading: "Avec une clé d’API",
    keyLabel: "Clé d’API",
    keyNote: "La connexion agit avec cette clé jusqu’à l’expiration de la clé ou la fin de la connexion.",
    keyButton: "Connecter avec cette clé",
    guestHeading: "En tant qu’invité",
    guestNote:
      "Aucun compte n’est nécessaire. Sont visibles les réservations faites ainsi pour vous, et celles d’avant si leur numéro et leur adresse e-mail sont indiqués.",
    linkLabel: "Lien de la page d’une réservation (facultatif)",
    linkNote:
      "Vous avez déjà réservé ? Avec le lien de la page de votre réservation, l’assistant peut poursuivre avec elle comme s’il l’avait faite.",
    guestButton: "Connecter en tant qu’invité",
    refuse: "Refuser",
    keyMissing: "Collez une clé d’API.",
    keyWrong: "Cette clé d’API est incorrecte ou a expiré.",
    keyAllowsNothing: "Cette clé d’API ne permet rien de ce qui est demandé.",
    linkWrong:
      "Ce lien n’ouvre aucune réservation ou n’est plus valable. Copiez-le depuis la page de votre réservation, ou laissez le champ vide.",
    tooManyTries: "Trop d’essais depuis votre connexion Internet. Attendez une minute, puis réessayez.",
    tooManyGuests:
      "De nombreux invités se sont connectés par votre connexion Internet depuis une heure. Réessayez dans une heure, ou utilisez une autre connexion, par exemple les données mobiles au lieu du Wi-Fi.",
    noCookieTitle: "Votre navigateur n’a pas gardé de cookie",
    noCookie:
      "Cette page a besoin d’un cookie pour savoir que c’est bien vous. Autorisez les cookies pour ce site, ou ouvrez le lien dans votre navigateur habituel.",
    decidedTitle: "Vous avez déjà répondu",
    decided:
      "Retournez à votre assistant pour continuer. S’il n’est pas connecté, relancez la connexion depuis celui-ci.",
    expiredTitle: "Cette page a expiré",
    expired: "Elle est restée ouverte trop longtemps.",
    errorTitle: "Connexion impossible",
    error: "Ce que le programme demande n’est pas possible. Son auteur en trouve la raison ici :",
    unavailable: "Le service ne peut pas répondre pour le moment. Réessayez bientôt.",
    startAgain: "Retournez à votre assistant et connectez-vous à nouveau."
  },
  publisher: {
    privacy: "Confidentialité",
    terms: "Conditions d’utilisation",
    support: "Aide"
  },
  linkProblems: {
    nothing: {
      title: "Cette page n’existe pas",
      lead: "L’adresse est erronée, ou la page a été supprimée.",
      more: "Vérifiez que l’adresse est complète, ou retournez à la page d’accueil :"
    },
    broken: {
      title: "Une erreur s’est produite",
      lead: "L’erreur vient de notre côté et a été enregistrée.",
      more: "Veuillez réessayer dans un instant."
    },
    dead: {
      title: "Ce lien ne fonctionne plus",
      lead: "Il est incomplet, a été remplacé par un nouveau ou est trop ancien.",
      more: "Vérifiez que l’adresse a été copiée en entier. Si c’est le cas, demandez le lien actuel à votre assistant ou à l’établissement."
    },
    invitation: {
      title: "Cette invitation n’est plus valable",
      lead: "La visite a été annulée, ou le lien a été remplacé par un nouveau.",
      more: "Adressez-vous à la personne qui vous a invités."
    },
    deskInvitation: {
      title: "Ce lien vers l’accueil n’est plus valable",
      lead: "Il a été utilisé, remplacé ou retiré, il est trop ancien, ou la personne qui l’a créé n’y est plus responsable.",
      more: "Si vous avez créé votre clé d’accès, connectez-vous avec elle. Sinon, demandez un nouveau lien à un responsable de l’accueil."
    },
    unavailable: {
      title: "Impossible d’afficher cette page pour le moment",
      lead: "Rien n’est perdu.",
      more: "Veuillez recharger la page dans un instant : elle affichera alors la situation actuelle."
    },
    tooMany: {
      title: "Trop de demandes",
      lead: "De nombreuses pages ont été demandées depuis votre réseau en une minute.",
      more: "Veuillez patienter une minute, puis recharger la page."
    },
    unreadable: {
      title: "Ce formulaire n’a pas pu être lu",
      lead: "Il est arrivé incomplet, et rien n’a changé.",
      more: "Revenez en arrière, rechargez la page et envoyez le formulaire à nouveau."
    }
  },
  operator: {
    visits: { one: "# visite", other: "# visites" },
    noVisits: "Aucune visite ce jour-là.",
    unsureToo: (held) => `dont ${held} à confirmer`,
    days: "Jours",
    today: "Aujourd’hui",
    weekBefore: "Semaine précédente",
    weekAfter: "Semaine suivante",
    nextVisit: (date) => `Prochaine visite : ${date}`,
    misunderstood: "L’adresse indique un jour, ou un endroit de la liste, qui n’existe pas. Voici ce jour à la place.",
    prepare: "À préparer",
    closed: "Fermé",
    alsoBooked: (reference) => `La même famille a une autre réservation à ce moment : ${reference}`,
    blocked: { closed: "Pendant la fermeture", overbooked: "Plus que disponible" },
    blockedToo: (visits) => `dont ${visits} à décider`,
    visitsBlocked: {
      one: "# visite est prévue pendant la fermeture, ou a plus que ce qui est disponible. Elle aura lieu, sauf si elle est déplacée ou annulée.",
      other:
        "# visites sont prévues pendant la fermeture, ou ont plus que ce qui est disponible. Elles auront lieu, sauf si elles sont déplacées ou annulées."
    },
    otherCalendar: (calendar) => `occupé dans le calendrier « ${calendar} »`,
    allDay: "toute la journée",
    unsure: "À confirmer",
    keptUntil: (time) => `Pas encore payé : réservé jusqu’à ${time}.`,
    inQuestion: "Un paiement n’est pas celui demandé et il est en cours de vérification : n’encaissez rien pour lui.",
    onItsWay: "Le paiement est en cours.",
    extras: "Options",
    notes: "Remarques",
    toPay: (amount) => `Reste à payer : ${amount}`,
    toDo: "À traiter",
    /** What the operator can act on, by the kind of notice. */
    notices: {
      paid_back: (amount: string, reference: string) =>
        `La totalité (${amount}) de la réservation ${reference} a été remboursée et la visite garde ses places : dites si elle a lieu.`,
      balance_overdue: (amount: string, reference: string) =>
        `Le solde de ${amount} de la réservation ${reference} est en retard : relancez la famille ou encaissez-le sur place.`,
      unpaid_after_visit: (amount: string, reference: string) =>
        `La visite de la réservation ${reference} est terminée et ${amount} restent impayés : notez le paiement si vous l’avez reçu, ou réclamez-le à la famille.`,
      refund_failed: (amount: string, reference: string) =>
        `Le remboursement de ${amount} pour la réservation ${reference} a échoué : convenez avec la famille d’une autre façon de lui rendre l’argent.`,
      refund_waits_for_money: (amount: string, reference: string) =>
        `Le remboursement de ${amount} pour la réservation ${reference} attend des fonds : approvisionnez votre solde chez le prestataire de paiement.`,
      refund_waits_for_dispute: (amount: string, reference: string) =>
        `Le remboursement de ${amount} pour la réservation ${reference} attend la fin d’un litige : répondez-y dans le tableau de bord du prestataire de paiement.`,
      refund_at_venue: (amount: string, reference: string) =>
        `Remboursez vous-même ${amount} : la réservation ${reference} a été payée sur place, et le remboursement est décidé.`,
      disputed: (amount: string, reference: string) =>
        `Le payeur de la réservation ${reference} conteste ${amount} : répondez dans le tableau de bord du prestataire de paiement.`,
      dispute_lost: (amount: string, reference: string) =>
        `Le litige portant sur ${amount} de la réservation ${reference} est perdu et le payeur a récupéré l’argent : décidez si la visite a lieu, sauf si elle a été annulée. Si vous l’aviez aussi remboursé, le payeur a reçu l’argent deux fois.`,
      dispute_won: (amount: string, reference: string) =>
        `Le litige portant sur ${amount} de la réservation ${reference} est finalement gagné et l’argent vous est revenu : si la visite a été annulée, demandez à la famille si elle veut réserver à nouveau.`
    },
    accountClosed: (since) =>
      `Votre compte chez le prestataire de paiement n’accepte plus de paiements depuis le ${since} : aucune nouvelle réservation n’est possible. Connectez-vous et répondez à ce qu’il demande ; dès qu’il accepte les paiements, les réservations reprennent.`,
    calendarNotices: {
      notRead: (calendar, playroom, since) =>
        `Le calendrier « ${calendar} » de ${playroom} n’a pas été lu depuis le ${since} : ce qui y a été ajouté ensuite n’est pas fermé ici. Vérifiez son adresse.`,
      eventNotRead: (calendar, playroom) =>
        `Le calendrier « ${calendar} » de ${playroom} contient une entrée qui n’est pas entièrement comprise : vérifiez que ses horaires sont fermés ici.`,
      booking: (reference, playroom, calendar) =>
        `La réservation ${reference} occupe ${playroom} à un moment déjà pris dans le calendrier « ${calendar} » : s’il s’agit de la même fête, mettez le numéro de réservation dans le titre de cette entrée ; sinon, déplacez l’une des deux.`
    },
    allGivenBack: "Tout a été remboursé et la visite n’est pas annulée : a-t-elle lieu ?",
    overdue: (amount, since) => `Reste à payer : ${amount}, en retard depuis le ${since}`,
    givenBack: "Payé, puis remboursé en partie ou en totalité",
    nothingToPay: "Rien à payer",
    more: "Autres visites de ce jour",
    fromStart: "Depuis le début de la journée",
    calendar: "Dans votre agenda",
    calendarLead: "Votre agenda peut suivre ces visites. Si le bouton ne fait rien, abonnez-vous à cette adresse :",
    subscribe: "S’abonner",
    secret:
      "Quiconque possède l’adresse de cette page ou de l’agenda voit les noms de vos visiteurs. Réservez-les à votre équipe.",
    calendarName: (operator) => `Visites : ${operator}`,
    phone: "Téléphone",
    erased: "Nom effacé"
  },
  card: {
    title: "Réserver une salle de jeux",
    waiting: "En attente de la réponse…",
    working: "Un instant…",
    stopped: "La demande a été interrompue.",
    chooseTime: "Choisir un horaire",
    timesLeft: "Horaires",
    noTimes: "Aucun horaire libre",
    nextDay: (day) => `Le prochain jour libre est le ${day}.`,
    placesLeft: { one: "# place restante", other: "# places restantes" },
    dueNowOf: (amount) => `${amount} maintenant`,
    noRefund: "En cas d’annulation, le montant à payer maintenant n’est pas remboursé.",
    refundUntil: (amount, moment) => `En cas d’annulation jusqu’au ${moment}, ${amount} sont remboursés.`,
    bookThis: "Réserver cet horaire",
    moreTimes: "Plus d’horaires",
    otherTimes: "Autres horaires",
    details: "Qui réserve ?",
    name: "Nom",
    nameMissing: "Saisissez un nom.",
    emailWrong: "Saisissez une adresse e-mail, comme ana@example.com.",
    freeHold: "Les places vous sont alors gardées. Sans paiement, la réservation s’annule et ne coûte rien.",
    book: "Réserver",
    back: "Retour",
    refresh: "Actualiser",
    balanceBy: (amount, day) => `${amount} au plus tard le ${day}`,
    balanceAtVenue: (amount) => `${amount} sur place`,
    allPaidBack: "Remboursé : contactez l’établissement",
    held: "Gardé pour vous",
    expired: "N’est plus gardé",
    processing: "Paiement en cours",
    payment: "Paiement",
    timeLeft: "Temps restant pour payer",
    payOpened: "La page de paiement est ouverte. Revenez ici après avoir payé.",
    bookingPage: "La page de votre réservation",
    pageOpened: "La page de votre réservation est ouverte. Ce que vous y changez se voit ici à votre retour.",
    openYourself: "La page n’a pas pu être ouverte d’ici. Ouvrez cette adresse :",
    unchanged: "Rien n’a encore changé.",
    notPassedOn: "Votre assistant n’a pas transmis la demande. Réessayez, ou demandez-le-lui dans la conversation.",
    rateLimited: (n) => `Trop de demandes. Réessayez dans ${n} s.`,
    near: "Horaires proches :",
    reasons: {
      closed: "La salle de jeux est fermée à ce moment.",
      not_sold_on_these_days: "La salle de jeux ne propose pas cela ces jours-là.",
      fully_booked: "Toutes les places sont prises à ce moment.",
      add_ons_taken: "Les options sont prises ailleurs ou hors service à ce moment. Sans elles, la salle est libre.",
      too_soon: "Le délai est trop court : la salle de jeux demande à être prévenue plus tôt.",
      too_far_ahead: "La salle de jeux ne prend pas de réservations aussi longtemps à l’avance.",
      party_too_large: "Le groupe est trop grand pour cette salle de jeux.",
      party_too_small: "Le groupe est trop petit pour cette salle de jeux.",
      in_the_past: "Ce jour est passé.",
      outside_your_times: "Rien n’est libre à ces heures."
    },
    errors: {
      api_key_missing:
        "Cette connexion montre les horaires mais ne peut pas réserver. La personne qui l’a installée doit ajouter une clé d’API.",
      api_key_invalid:
        "La clé d’API de cette connexion n’est pas valable. La personne qui l’a installée doit en mettre une autre.",
      api_key_scope:
        "La clé d’API de cette connexion ne permet pas cela. La personne qui l’a installée doit en mettre une autre.",
      invalid_arguments: "Une saisie n’a pas été acceptée. Vérifiez-la, puis réessayez.",
      playroom_not_found: "Cette salle de jeux n’est plus proposée. Demandez-en une autre à votre assistant.",
      package_not_found: "Cette formule n’est plus proposée. Consultez d’autres horaires.",
      booking_not_found: "Cette connexion ne peut pas voir la réservation. Contactez l’établissement.",
      option_invalid: "Cet horaire n’est plus proposé. Consultez d’autres horaires.",
      price_changed: "Le prix, l’horaire ou les conditions ont changé ; rien n’a été réservé. Voici l’offre actuelle :",
      slot_unavailable: "Rien n’a été réservé. Consultez d’autres horaires.",
      hold_expired: "Le délai de paiement est passé. Consultez d’autres horaires.",
      booking_cancelled: "Cette réservation est annulée et ne peut pas être payée. Consultez d’autres horaires.",
      nothing_due: "Il n’y a rien à payer pour le moment. Actualisez pour voir la réservation.",
      operator_unavailable:
        "Cette salle de jeux ne prend ni réservations ni paiements pour le moment. Demandez-en une autre à votre assistant.",
      idempotency_conflict: "Cela a déjà été demandé avec d’autres données. Demandez à votre assistant de réessayer.",
      already_booked:
        "Vous avez déjà réservé cela dans une autre conversation. Rien d’autre n’a été réservé. Donnez à l’assistant le numéro de réservation de votre confirmation et votre adresse e-mail, ou ouvrez le lien de votre réservation.",
      too_many_holds:
        "Rien n’a été réservé : trop de réservations sont impayées en ce moment. Si l’une d’elles est la vôtre, payez-la ou annulez-la. Sinon, réessayez dans quelques minutes ou choisissez un autre jour.",
      payment_provider_unavailable:
        "La page de paiement ne peut pas être ouverte pour le moment. Rien n’a été débité. Réessayez dans quelques minutes.",
      service_unavailable: "Le service de réservation ne répond pas pour le moment. Réessayez dans une minute.",
      internal_error: "Le service de réservation a rencontré une erreur. Réessayez, ou demandez à votre assistant."
    }
  },
  ...desk,
  ...family,
  ...letters,
  ...party,
  ...rooms,
  ...visit
}
