/** Messages of the desk, in French. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Accueil",
    signInTitle: "Se connecter à l’accueil",
    signInLead: "Avec la clé d’accès de cet appareil ou de votre téléphone.",
    signIn: "Se connecter avec une clé d’accès",
    needsScript: "Les clés d’accès ont besoin de JavaScript, qui est désactivé dans ce navigateur.",
    otherDevice: "Utiliser un autre appareil",
    passkeyFaults: {
      insecure:
        "Cette page est arrivée sans chiffrement, et les navigateurs n’utilisent les clés d’accès que sur des pages chiffrées. Continuez ici :",
      elsewhere:
        "Les clés d’accès ne fonctionnent qu’à l’adresse de l’accueil, et cette page en a une autre. Continuez ici :",
      noBrowser:
        "Ce navigateur ne connaît pas les clés d’accès. C’est souvent le cas des fenêtres d’autres applications : ouvrez cette adresse dans Safari, Chrome, Edge ou Firefox.",
      notUsed:
        "Aucune clé d’accès n’a été utilisée : la fenêtre a été fermée, le délai est passé, ou il n’y en a pas ici pour cet accueil. Veuillez réessayer ; si votre clé d’accès est sur un téléphone ou une clé de sécurité, choisissez « Utiliser un autre appareil ».",
      notMade:
        "Aucune clé d’accès n’a été créée : la fenêtre a été fermée, ou le délai est passé. Veuillez réessayer : ce lien fonctionne encore.",
      notHere:
        "Il n’y a pas de clé d’accès pour cet accueil sur cet appareil ou cette clé de sécurité. Utilisez l’appareil sur lequel vous l’avez créée.",
      already: "Vous avez déjà sur cet appareil une clé d’accès, qui fonctionne encore. Ce lien reste inutilisé.",
      noPin:
        "Cette clé de sécurité ou cet appareil n’a pas vérifié qui vous êtes. Définissez dans ses réglages un code, une empreinte ou un verrouillage d’écran et réessayez, ou utilisez un autre appareil.",
      unable:
        "Ce navigateur ou cet appareil ne sait pas le faire avec des clés d’accès. Mettez-le à jour, ou utilisez un autre appareil.",
      device:
        "L’appareil ou le navigateur a signalé une erreur. Veuillez réessayer, le redémarrer ou utiliser un autre appareil.",
      offline: "Le service est injoignable. Vérifiez la connexion et réessayez.",
      late: "Cette page est restée ouverte trop longtemps, ou a déjà été envoyée. Veuillez réessayer.",
      unknown:
        "Cet accueil ne connaît pas cette clé d’accès. Si elle fonctionnait avant, elle a été désactivée ici : demandez un nouveau lien à un responsable.",
      copied:
        "Cette clé d’accès a été refusée : elle a servi moins souvent que compté ici, comme si elle avait été copiée. Demandez à un responsable de la désactiver et de vous donner un nouveau lien.",
      unreadable:
        "Ce que le navigateur a envoyé n’est pas la réponse d’une clé d’accès pour cet accueil. Veuillez réessayer, ou utiliser un autre navigateur."
    },
    inviteAgain:
      "Si vous n’avez plus de clé d’accès, demandez à un responsable de votre accueil : un nouveau lien vous fait entrer en quelques minutes.",
    invitationTitle: (operator) => `Accueil de ${operator}`,
    invitationLead: (name) =>
      `Bonjour ${name}. Créez une clé d’accès sur cet appareil : elle vous servira à vous connecter. Ce lien ne fonctionne qu’une fois.`,
    makePasskey: "Créer une clé d’accès",
    signedInAs: (name) => `Session de ${name}`,
    signOut: "Se déconnecter",
    search: "Nom, e-mail, numéro de réservation ou téléphone",
    find: "Rechercher",
    foundTitle: (words) => `Recherche : ${words}`,
    found: { one: "# réservation", other: "# réservations" },
    nothingFound: "Aucune réservation ne correspond.",
    moreFound: "Il y en a d’autres. Ajoutez un mot ou indiquez le numéro de réservation.",
    searchedSince: (date) => `La recherche porte sur les réservations depuis le ${date}.`,
    searchBefore: "Chercher plus tôt",
    dayToShow: "Jour",
    showDay: "Afficher",
    toDay: "Retour à la journée",
    now: (time) => `Maintenant : ${time}`,
    byHour: "Enfants par heure",
    visits: "Visites",
    toCollect: "Reste à payer ce jour-là",
    room: "Salle",
    contact: "Contact",
    marks: { arrived: "Arrivés", no_show: "Non venus" },
    undo: (mark) => `Annuler « ${mark} »`,
    notMarked:
      "Une autre mention a été notée entre-temps, ou ce n’est pas le moment de la noter. Rien n’a été modifié.",
    managersTitle: "Réservé aux responsables",
    managersOnly: "Adressez-vous à un responsable de votre établissement. Rien n’a été modifié.",
    toBooking: "Retour à la réservation",
    goOn: "Continuer",
    moreBookings: "Autres réservations",
    toList: "Retour à la liste",
    changed: "Rien n’a été fait : quelque chose a changé depuis l’affichage. Voici l’état actuel.",
    since: "Depuis que vous avez ouvert la page :",
    byFamily: "par la famille",
    amountIn: (currency) => `Montant en ${currency}`,
    amountWrong: (example) => `Indiquez un montant comme ${example}.`,
    amountSteps: (step) => `Le prestataire ne traite cette devise que par paliers de ${step}.`,
    reason: "Motif",
    reasonHint: "Il figure dans l’historique de la réservation, que la famille peut lire.",
    reasonNeeded: "Indiquez un motif : les conditions ne le prévoient pas.",
    partyErrors: {
      children: (least, most) => `La formule est prévue pour ${least} à ${most} enfants.`,
      ageRange: (from, to) => `Cette salle accueille les enfants de ${from} à ${to} ans.`
    },
    book: {
      code: "Code, si la famille en a un",
      noCode: "Ce code ne vaut pas pour cette visite : corrigez-le ou laissez le champ vide.",
      title: "Nouvelle réservation",
      choose: "Choisissez une salle et ce qui est réservé.",
      nothing: "Rien ne peut être réservé dans vos salles pour le moment.",
      modes: { exclusive: "La salle entière", shared: "Places en jeu libre" },
      times: "Voir les horaires libres",
      chooseDay: "Choisir un jour",
      noneIn: (month) => `Rien n’est libre en ${month} pour ce groupe.`,
      noneOn: (day) => `Rien n’est libre le ${day} pour ce groupe.`,
      another: "Réserver autre chose",
      who: "Pour qui est la réservation ?",
      emailHint:
        "On y écrit ce qui est confirmé, modifié ou reste à payer, et la famille retrouve la réservation grâce à elle. Elle peut rester vide si l’on paie ici et maintenant.",
      wrong: "Rien n’a été réservé. Vérifiez les champs signalés.",
      check: "Réserver ainsi ?",
      confirm: "Réserver",
      edit: "Modifier quelque chose",
      free: "Rien n’est à payer maintenant : la réservation est confirmée aussitôt.",
      how: "Comment est-ce payé ?",
      which: "Veuillez indiquer comment c’est payé.",
      link: "En ligne, sur la page de la famille",
      held: (until) =>
        `Si c’est payé en ligne, les places sont retenues jusqu’au ${until}, et plus longtemps tant que quelqu’un est en train de payer. Si c’est payé sur place, la réservation est confirmée aussitôt.`,
      howMuch: "Si c’est sur place : combien est payé maintenant ?",
      due: (amount) => `Ce qui est dû maintenant : ${amount}`,
      all: (amount) => `La totalité : ${amount}`,
      tooMany:
        "Rien n’a été réservé : il y a trop de réservations impayées avec cette adresse e-mail ou faites à cet accueil."
    },
    walkIn: {
      title: "Sans réservation",
      name: "Sans réservation",
      lead: "Combien d’enfants viennent ? Le prix s’affiche avant la vente.",
      begun: "Déjà commencé",
      none: "Rien ne peut être vendu ici et maintenant.",
      sold: (what: string) => `Vendu : ${what}.`
    },
    family: {
      title: "Lien pour la famille",
      lead: "Lisez-le à voix haute, ou copiez-le. Quiconque le possède peut payer, modifier et annuler la réservation.",
      mailed: (email) => `Lors de la réservation, il a aussi été envoyé à ${email}.`,
      send: (email) => `L’envoyer à ${email}`,
      sent: (email) => `Il est en route vers ${email}.`
    },
    pay: {
      title: "Noter un paiement",
      way: "Comment le paiement a-t-il été fait ?",
      whichWay: "Indiquez le moyen de paiement.",
      confirm: "Noter le paiement",
      left: "Reste à payer ensuite",
      confirms: "La réservation est ainsi confirmée.",
      pages: "Les pages où la même somme pouvait être payée en ligne sont fermées.",
      nothing: "Rien ne peut être payé pour cette réservation actuellement.",
      more: (owed) => `Il ne reste pas plus de ${owed} à payer.`,
      less: (due) => `Les places sont seulement retenues : au moins ${due} sont dus maintenant.`,
      processing: "Un paiement en ligne est en cours. Attendez qu’il soit arrivé ou refusé."
    },
    voucher: {
      online: "En ligne",
      title: "Bons cadeaux",
      pay: "Payer par bon cadeau",
      rest: "Comment le reste est-il payé ?",
      later: "Pas maintenant",
      less: (due) => `Les places ne sont que retenues, et ${due} de plus sont à payer maintenant : indiquez comment.`,
      sell: "Vendre un bon cadeau",
      lead: "Ce que vous encaissez pour un bon cadeau, vous le devez. C’est un revenu quand une réservation est payée avec.",
      until: "Dernier jour de validité",
      untilHint: "Laissez vide s’il n’expire pas.",
      untilWrong: "Choisissez un jour à venir, dans les dix prochaines années.",
      value: "Valeur",
      sold: "Vendu",
      look: "Consulter un bon cadeau",
      show: "L’afficher",
      print: "L’ouvrir, pour l’imprimer ou copier son adresse",
      latest: "Dernières ventes",
      none: "Aucun bon cadeau n’a encore été vendu.",
      undo: "Annuler la vente : c’était une erreur",
      undone: "La vente a été annulée.",
      kept: "La vente ne peut pas être annulée : quelque chose a été payé avec le bon cadeau, ou il a expiré."
    },
    undoPay: {
      title: "Annuler un paiement noté par erreur",
      confirm: "Annuler ce paiement",
      which: "Quel paiement a été noté par erreur ?",
      nothing:
        "Aucun paiement sur place ne peut être annulé ici : une somme a été remboursée, la réservation est terminée ou la visite est trop ancienne.",
      noRefund: "Rien n’est remboursé : l’argent n’a jamais été payé pour cette réservation, qui reste confirmée.",
      books: "Dans les chiffres du mois, le paiement reste à sa date et est déduit aujourd’hui."
    },
    returned: {
      todo: (amount) => `${amount} à rembourser sur place`,
      how: "Comment ce montant a-t-il été remboursé ?",
      ways: { cash: "en espèces", card: "sur la carte", transfer: "par virement", voucher: "sur le bon cadeau" },
      done: "Remboursement fait"
    },
    unclear:
      "Un paiement de cette réservation n’a pas pu être enregistré comme d’habitude. Si quelque chose vous semble inexact, demandez à qui exploite ce service pour vous.",
    back: {
      title: "Rembourser un montant",
      confirm: "Rembourser ce montant",
      nothing: "Il ne reste rien de ce qui a été payé.",
      tooMuch: (left) => `Il ne reste pas plus de ${left} de ce qui a été payé.`,
      byHand: (amount) =>
        `${amount} n’ont pas été payés en ligne : remboursez-les directement à la famille. Ce qui a été payé par bon cadeau y revient tout seul.`,
      before: (amount) => `${amount} ont déjà été remboursés et sont pris en compte.`,
      disputed: (amount) => `${amount} font l’objet d’un litige. Aucun remboursement ne part avant la décision.`,
      blocked: (amount) =>
        `${amount} ne peuvent être remboursés que lorsque votre compte chez le prestataire de paiement acceptera de nouveau des paiements. L’envoi se fera alors de lui-même.`,
      notAsked:
        "Le prestataire n’a pas pu dire ce qui a déjà été remboursé. On le lui demandera avant le remboursement, qui peut alors être moindre.",
      stays: "La réservation reste inchangée."
    },
    cancel: {
      title: "Annuler la réservation",
      confirm: "Annuler maintenant",
      refund: "Quel montant rembourser ?",
      byTerms: "Ce que prévoient les conditions",
      full: "Tout ce qui reste des paiements",
      none: "Rien",
      part: "Cette somme :",
      ended: "Cette réservation est déjà terminée.",
      places: "Les places sont aussitôt libres pour d’autres. C’est définitif."
    },
    change: {
      title: "Modifier le groupe",
      confirm: "Modifier la réservation",
      same: "C’est déjà ainsi.",
      notConfirmed: "Elle n’est pas encore confirmée : il faut d’abord payer ce qui est dû.",
      begun: "La visite a commencé.",
      payment: "Un paiement en ligne est ouvert ou en cours. Réessayez quand il sera arrivé, ou dans une demi-heure.",
      refund: "Un remboursement est en cours. Réessayez quand il sera arrivé.",
      reasonNeeded: "Les conditions ne le permettent plus : indiquez un motif.",
      closed: "L’établissement est fermé à cette heure.",
      notSold: "Ce n’est pas possible ainsi : annulez la réservation et réservez à nouveau.",
      taken: "Cet horaire n’est pas disponible.",
      nearest: (starts) => `Les plus proches : ${starts}.`
    },
    move: {
      title: "Déplacer la réservation",
      confirm: "Déplacer",
      date: "Nouveau jour",
      time: "Nouvelle heure de début",
      when: "Indiquez un jour et une heure.",
      room: "Salle et formule",
      none: "Impossible de la déplacer dans cette salle : choisissez à nouveau.",
      without: (extras) => `N’est pas proposé ainsi là-bas et ne sera pas repris : ${extras}.`
    },
    closing: {
      title: "Bloquer un créneau",
      lead: "Plus rien ne pourra être réservé à ce moment-là, dès maintenant. Ce qui est déjà réservé le reste.",
      outOfOrder: "Hors service",
      all: "Toutes les salles",
      from: "Premier jour",
      to: "Dernier jour",
      toHint: "Vide : le même jour.",
      starts: "De",
      ends: "À",
      timesHint: "Laissez les deux heures vides pour des journées entières.",
      managersDays: "Seul un responsable ferme des journées entières : indiquez les deux heures.",
      reasonHint: "En quelques mots. Les familles peuvent le lire.",
      wrong: "Rien n’a encore été bloqué : vérifiez ce qui est signalé.",
      timesWrong:
        "Indiquez un jour, et les deux heures ou aucune. La fin doit venir après le début, deux ans plus tard au plus.",
      reasonWrong: "Indiquez le motif en quelques mots.",
      problems: {
        no_playroom: "Cette salle n’existe pas.",
        no_stock: "Cette option n’existe pas, ou pas en ce nombre.",
        too_many_playrooms: "C’est trop de salles à la fois : choisissez-en une.",
        over: "Ce moment est passé.",
        no_time: "Cette heure n’existe pas : c’est le passage à l’heure d’été.",
        too_many: "Trop de créneaux sont déjà bloqués dans cette salle : rouvrez ceux qui ne sont plus nécessaires."
      },
      checkTitle: "Bloquer ce créneau ?",
      inside: { one: "# réservation tombe dans ce créneau.", other: "# réservations tombent dans ce créneau." },
      nobody: "Rien n’est réservé à ce moment-là.",
      stays: "Ce qui est réservé le reste et a lieu, sauf si vous le déplacez ou l’annulez.",
      list: "La page « À décider » les énumère ensuite, pour les déplacer ou les annuler, une à une ou toutes à la fois.",
      more: (n: number) => `Et ${n} de plus.`,
      confirm: "Bloquer maintenant",
      upcoming: "Fermetures à venir",
      furtherTimes: "Plus de fermetures",
      by: (name: string) => `par ${name}`,
      ofFile: "par le catalogue",
      reopen: "Rouvrir",
      reopenTitle: "Rouvrir ce créneau ?",
      reopenLead: "Il pourra aussitôt être réservé, sauf si une autre fermeture le couvre."
    },
    closed: {
      title: "À décider",
      lead: "Ces réservations tombent pendant une fermeture, ou ont plus de places ou d’options qu’il n’y en a désormais. Elles ont lieu si elles ne sont ni déplacées ni annulées.",
      none: "Rien à décider : aucune réservation ne tombe pendant une fermeture ni n’a plus que ce qui est disponible.",
      who: "Nom",
      because: "Motif",
      only: (of, units) => `${of} : plus que ${units}`,
      what: "Suite à donner",
      cancel: "Annuler et tout rembourser",
      keep: "Garder",
      write: "Garder et écrire à la famille",
      writeAll: { one: "Écrire à cette famille", other: "Écrire à ces # familles" },
      words: "Votre message",
      wordsHint: "Il part par e-mail, avec le lien de la réservation, tel que vous l’écrivez ici.",
      noWords: "Écrivez ce que les familles doivent savoir.",
      notWritten: "impossible de lui écrire : non confirmée, passée ou sans adresse e-mail",
      giveBack: "Retirer l’option et rembourser son prix",
      swapFor: "Remplacer par une autre option",
      swapPays: "Remplacer, et la famille paie la différence",
      costsMore: (amount) =>
        `Cette option coûte ${amount} de plus. Choisissez-en une autre, ou que la famille paie la différence.`,
      broken: (of, why) => `${of}, hors service : ${why}`,
      moveTo: "Déplacer au",
      money: "Argent",
      twice:
        "D’autres de ces réservations occupent la salle ou une option à cette heure : choisissez un autre horaire.",
      told: "Les familles dont la réservation confirmée est modifiée ou annulée reçoivent un e-mail qui dit ce qui a changé.",
      notTold: "Aucun e-mail n’est envoyé : prévenez vous-même les familles.",
      all: { one: "Annuler cette réservation", other: "Annuler ces # réservations" },
      planTitle: "Est-ce bien cela ?",
      nothingChosen: "Rien n’était choisi, ou il n’y a plus rien à décider.",
      cant: "impossible maintenant",
      inAll: "Remboursement total",
      byHand:
        "Ce qui a été payé sur place se rend sur place, et ce qui a été payé par bon cadeau revient sur le bon : chaque réservation l’indique ensuite.",
      confirm: { one: "Le faire maintenant pour # réservation", other: "Le faire maintenant pour # réservations" },
      changed: "Rien n’a été fait : ce n’est pas ce que montrait la page précédente.",
      doneTitle: "C’est fait",
      nothingDone: "Rien n’a été fait.",
      done: {
        cancelled: { one: "# réservation a été annulée.", other: "# réservations ont été annulées." },
        moved: { one: "# réservation a été déplacée.", other: "# réservations ont été déplacées." },
        givenBack: {
          one: "Le prix de l’option est remboursé pour # réservation.",
          other: "Le prix des options est remboursé pour # réservations."
        },
        swapped: { one: "# réservation a une autre option.", other: "# réservations ont d’autres options." },
        written: {
          one: "Un message part à # famille ; sa réservation est gardée.",
          other: "Un message part à # familles ; leurs réservations sont gardées."
        }
      },
      gone: {
        one: "Pour # autre, il n’y avait plus rien à décider ; elle n’a pas été touchée.",
        other: "Pour # autres, il n’y avait plus rien à décider ; elles n’ont pas été touchées."
      },
      left: "Celles-ci ont changé depuis la page précédente, ou ce n’était pas possible. Elles restent telles quelles :",
      notAll: "Tout n’est pas encore fait. « Continuer » traite les suivantes."
    },
    people: {
      title: "Qui travaille ici",
      lead: "Ces personnes se connectent à cet accueil.",
      name: "Nom",
      you: "(vous)",
      nameHint: "Tel que l’historique des réservations nommera la personne.",
      nameWrong: "Veuillez indiquer un nom de 80 caractères au plus.",
      role: "Rôle",
      roles: { desk: "Accueil", manager: "Responsable" },
      roleMeans: {
        desk: "Le travail du jour : visites, réservations, paiements.",
        manager: "Aussi : fermer des journées, rembourser, les chiffres du mois et qui travaille ici."
      },
      passkeys: "Clés d’accès",
      signedIn: "Dernière connexion",
      invitedUntil: "Invitation jusqu’au",
      change: "Modifier",
      invite: {
        title: "Inviter quelqu’un",
        confirm: "Inviter",
        wrong: "Aucune invitation n’a été créée : vérifiez les champs signalés.",
        taken:
          "Quelqu’un de ce nom est déjà dans la liste. Pour une autre clé d’accès, choisissez-y « Nouvelle invitation »."
      },
      again: {
        title: "Nouvelle invitation",
        lead: "Avec le nouveau lien, la personne crée une clé d’accès et entre.",
        works:
          "Le lien fonctionne une fois : pendant 30 minutes si la personne est déjà venue ici, sinon pendant trois jours. Un lien précédent prend fin.",
        passkeys: {
          legend: "Les clés d’accès actuelles",
          ends: {
            label: "Y mettre fin tout de suite",
            means: "L’appareil est perdu, volé ou n’appartient plus à la personne. Elle est aussi déconnectée partout.",
            own: "L’appareil est perdu, volé ou ne vous appartient plus. Vous êtes aussi déconnecté partout, sauf ici."
          },
          stays: {
            label: "Elles restent valables",
            means: "La personne en reçoit seulement une de plus, par exemple sur un nouveau téléphone."
          }
        },
        withdraw: "Mettre fin à l’invitation ouverte",
        confirm: "Créer l’invitation"
      },
      address: {
        title: (name) => `Invitation pour ${name}`,
        lead: (name) =>
          `Ne transmettez cette adresse qu’à ${name} : la première personne qui l’ouvre crée une clé d’accès et se connecte comme ${name}.`,
        once: "Elle ne fonctionne qu’une fois et n’est affichée que maintenant."
      },
      newRole: {
        link: "Changer le rôle",
        title: (name) => `Nouveau rôle de ${name}`,
        lead: "Il vaut immédiatement, même là où la personne est connectée. Les clés d’accès et une invitation ouverte restent.",
        confirm: "Changer",
        self: "Vous ne pouvez pas changer votre propre rôle : un autre responsable doit le faire."
      },
      remove: {
        link: "Retirer",
        title: (name) => `Retirer ${name} ?`,
        lead: "La personne est déconnectée partout immédiatement et ne peut plus se connecter ; une invitation ouverte prend fin.",
        stays:
          "L’historique continue de nommer ce que cette personne a fait. Pour revenir, il faut une nouvelle invitation.",
        confirm: "Retirer maintenant",
        self: "Vous ne pouvez pas vous retirer vous-même : un autre responsable doit le faire."
      }
    },
    month: {
      title: "Chiffres du mois",
      month: "Mois",
      show: "Afficher",
      before: "Mois précédent",
      after: "Mois suivant",
      nothing: "Rien n’a été payé ni remboursé pendant cette période.",
      ofYear: {
        title: "Chiffres de l’année",
        show: "Toute l’année",
        before: "Année précédente",
        after: "Année suivante"
      },
      tooMany:
        "Cela fait trop de lignes pour un fichier : choisissez un mois, ou demandez-le à l’exploitant de ce service.",
      sums: {
        payment: "Payé en ligne",
        refund: "Remboursé en ligne",
        dispute: "Litiges",
        fee: "Autres frais",
        other: "Hors de ces réservations",
        platform_fee: "Frais de la plateforme",
        provider_fee: "Frais du prestataire de paiement",
        net: "Net, en ligne",
        payout: "Versé sur votre compte",
        venue_payment: "Payé sur place",
        venue_refund: "Remboursé sur place",
        voucher_sold: "Bons cadeaux vendus (vous les devez)",
        voucher_payment: "Payé par bon cadeau",
        voucher_refund: "Remboursé sur des bons cadeaux",
        voucher_expired: "Bons cadeaux expirés sans être utilisés"
      },
      vouchersOwed: "Dû sur les bons cadeaux à la fin, ou à présent",
      taxes: "Par taux de taxe",
      rate: "Taux",
      withTax: "TTC",
      tax: "Taxe",
      withoutTax: "Hors taxe",
      codes: "Codes des réservations faites pendant cette période",
      code: "Code",
      uses: "Réservations",
      takenOff: "Remise",
      own: "D’après les réservations d’ici. Les frais et les versements du prestataire de paiement n’y figurent pas.",
      provider:
        "D’après les comptes du prestataire de paiement ; les paiements sur place d’après les réservations d’ici.",
      download: "Télécharger pour un tableur (Excel)",
      downloadCsv: "Télécharger en CSV",
      compare: "Avec les frais et les versements du prestataire",
      agrees: "Tous les montants concordent avec les comptes du prestataire de paiement.",
      differs: (lines) =>
        `Écarts avec les comptes du prestataire de paiement : ${lines}. Demandez au responsable de ce service de les vérifier.`,
      away: "Le prestataire de paiement n’a pas répondu à temps. Voici les chiffres d’après les réservations d’ici."
    },
    till: {
      title: "La caisse",
      drawer: "Devrait être dans le tiroir",
      drawerMeans: "Espèces encaissées moins espèces remboursées ce jour-là, hors fonds de caisse.",
      byWay: "Par moyen de paiement",
      byPerson: "Par personne",
      way: "Comment",
      taken: "Encaissé",
      back: "Remboursé ou annulé",
      sum: "En tout",
      who: "Qui",
      none: (day: string) => `Rien n’a été encaissé ni remboursé sur place : ${day}.`
    },
    waits: {
      lead: { one: "# famille attend.", other: "# familles attendent." },
      none: "Personne n’attend.",
      since: "Attend depuis",
      remove: "Retirer"
    },
    owed: {
      title: "Sommes à encaisser",
      lead: { one: "# réservation reste à régler.", other: "# réservations restent à régler." },
      none: "Il ne reste rien à encaisser.",
      who: "Nom",
      amount: "Reste à payer",
      due: "Échéance",
      overdue: "en retard",
      atVenue: "sur place",
      over: "la visite est terminée",
      processing: "un paiement est en cours",
      sum: "En tout",
      fromStart: "Début de la liste"
    },
    history: "Historique",
    unusual: "Inhabituel, et vous seuls pouvez l’autoriser :",
    exceptions: {
      ages: "Un âge pour lequel la salle n’est pas prévue",
      party_too_small: "Moins d’enfants que la formule ne prévoit",
      party_too_large: "Plus d’enfants ou d’adultes que la formule ne prévoit",
      too_soon: "Plus tard que vous n’acceptez les réservations",
      too_far_ahead: "Plus tôt que vous n’acceptez les réservations"
    },
    events: {
      exception: "Exception accordée",
      held: "Retenue",
      confirmed: "Confirmée",
      paid: "Payée",
      balance_paid: "Solde payé",
      payment_failed: "Échec du paiement",
      paid_late: "Payée en retard",
      changed: "Groupe modifié",
      moved: "Déplacée",
      kept: "Maintenue",
      arrived: "Arrivés",
      arrived_undone: "Mention « arrivés » retirée",
      no_show: "Non venus",
      no_show_undone: "Mention « non venus » retirée",
      payment_in_question: "Paiement à vérifier",
      payment_taken: "Paiement accepté tel quel",
      payment_sent_back: "Paiement renvoyé",
      paid_at_venue: "Payé sur place",
      paid_by_voucher: "Payé par bon cadeau",
      payment_undone: "Paiement annulé",
      goodwill: "Geste commercial",
      cancelled: "Annulée",
      hold_expired: "Non payée à temps",
      balance_lapsed: "Solde non payé à temps",
      refunded: "Remboursée",
      refund_failed: "Échec du remboursement",
      disputed: "Paiement contesté",
      answered: "Réponses données",
      link_sent: "Lien envoyé",
      written_to: "Message envoyé",
      link_renewed: "Lien renouvelé",
      clock_followed: "Heure conservée",
      person_erased: "Nom effacé"
    }
  }
}
