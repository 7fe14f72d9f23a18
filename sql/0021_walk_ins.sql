-- A booking that the venue makes may have no e-mail address: `contact_email` is empty then (`functions/bookings.sql`).

-- Functions: a70caa31eff50793
