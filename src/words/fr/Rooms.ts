/** Messages of the pages that show playrooms to people without an assistant, in French. */
import type { Rooms } from "../en/Rooms.ts"

export const rooms: Rooms = {
  rooms: {
    title: "Salles de jeux",
    lead: "Découvrez ici les salles, les prix, les horaires et les conditions. Votre assistant voit les créneaux libres et réserve.",
    titleIn: (city) => `Salles de jeux : ${city}`,
    all: "Toutes les salles de jeux",
    cities: "Villes",
    city: "Ville",
    find: "Chercher",
    noneIn: (city) => `Aucune salle de jeux n’est proposée ici pour « ${city} ».`,
    none: "Aucune salle de jeux n’est proposée ici pour le moment.",
    next: "Autres salles de jeux",
    from: (amount, party) => `à partir de ${amount} pour ${party}`,
    withoutAdults: "sans adultes",
    lowest: (amount) => `à partir de ${amount}`,
    upTo: (party) => `jusqu’à ${party}`,
    ages: (from, to) => (from === to ? `${from} ans` : `de ${from} à ${to} ans`),
    modes: { exclusive: "Toute la salle pour vous", shared: "Jeu libre avec d’autres familles" },
    packages: "Ce que vous pouvez réserver",
    priceNote:
      "Le prix dépend du jour, de l’heure et de votre groupe. Votre assistant l’indique exactement avant que vous ne réserviez.",
    varies: "Certains de ces prix varient selon l’heure ou la formule.",
    hours: "Horaires d’ouverture",
    quiet: "Heures calmes",
    hoursDiffer: "Certains jours, les horaires sont différents.",
    closures: "Fermé ces jours-là",
    amenities: "Équipements",
    accessibility: "Accessibilité",
    photos: "Photos",
    runBy: "Établissement tenu par",
    ask: "Demandez à votre assistant",
    askHow: "Copiez ce texte, changez ce qui est différent pour vous, et envoyez-le à votre assistant :",
    request: (room, city, id) =>
      `Je voudrais aller à la salle de jeux « ${room} » à ${city} avec 8 enfants samedi prochain. Quels créneaux sont libres, et combien coûte chacun ? Utilise Playroom booking ; l’identifiant de la salle est ${id}.`,
    connect: "S’il ne peut pas encore réserver ici, ajoutez-lui cette adresse comme connecteur :",
    connectHow: "Comment connecter votre assistant",
    terms: "Paiement et annulation",
    payAll: "La totalité se paie à la réservation.",
    payLater: "Rien ne se paie à la réservation.",
    backOfRest: "Remboursement du reste si vous annulez",
    until: (duration) => `au plus tard ${duration} avant la visite`,
    untilStart: "jusqu’au début de la visite",
    back: (until, share) => `${until} : ${share}`,
    afterwards: (share) => `ensuite : ${share}`,
    headcount: (until) => `Le nombre d’enfants peut être modifié ${until}.`,
    growsOnly: "Le groupe peut s’agrandir, mais pas diminuer.",
    move: (until) => `Changement d’horaire gratuit ${until}.`,
    released: (duration) => `Si le solde reste impayé ${duration} après son échéance, les places sont libérées.`,
    missing: {
      title: "Cette salle de jeux n’est pas proposée",
      lead: "Elle ne prend pas de réservations ici pour le moment, ou l’adresse est erronée.",
      more: "Voyez les salles qu’il y a :"
    }
  }
}
