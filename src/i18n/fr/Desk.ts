/** Messages of the desk, in French. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Accueil",
    signInTitle: "Se connecter à l’accueil",
    signInLead: "Avec la clé d’accès de cet appareil ou de votre téléphone.",
    signIn: "Se connecter avec une clé d’accès",
    needsScript: "Les clés d’accès ont besoin de JavaScript, qui est désactivé dans ce navigateur.",
    noPasskey: "Aucune clé d’accès n’a été utilisée. Veuillez réessayer.",
    refused:
      "Cette clé d’accès n’a pas été acceptée, ou la page est restée ouverte trop longtemps. Veuillez réessayer.",
    inviteAgain: "Si vous n’avez plus de clé d’accès ici, demandez une nouvelle invitation.",
    invitationTitle: (operator) => `Accueil de ${operator}`,
    invitationLead: (name) =>
      `Bonjour ${name}. Créez une clé d’accès sur cet appareil : elle vous servira à vous connecter. Ce lien ne fonctionne qu’une fois.`,
    makePasskey: "Créer une clé d’accès",
    signedInAs: (name) => `Session de ${name}`,
    signOut: "Se déconnecter",
    search: "Nom, numéro de réservation ou téléphone",
    find: "Rechercher",
    foundTitle: (words) => `Recherche : ${words}`,
    found: { one: "# réservation", other: "# réservations" },
    nothingFound: "Aucune réservation ne correspond.",
    moreFound: "Il y en a d’autres. Ajoutez un mot ou indiquez le numéro de réservation.",
    toDay: "Retour à la journée",
    now: (time) => `Maintenant : ${time}`,
    byHour: "Enfants par heure",
    visits: "Visites",
    toCollect: "Reste à payer ce jour-là",
    room: "Salle",
    contact: "Contact",
    history: "Historique",
    events: {
      held: "Retenue",
      confirmed: "Confirmée",
      paid: "Payée",
      balance_paid: "Solde payé",
      payment_failed: "Échec du paiement",
      paid_late: "Payée en retard",
      changed: "Groupe modifié",
      moved: "Déplacée",
      kept: "Maintenue",
      cancelled: "Annulée",
      hold_expired: "Non payée à temps",
      balance_lapsed: "Solde non payé à temps",
      refunded: "Remboursée",
      refund_failed: "Échec du remboursement",
      disputed: "Paiement contesté",
      person_erased: "Nom effacé"
    }
  }
}
