-- Once a refund fails after it had succeeded, a penny of tax that was rounded beside it is corrected (`functions/payments.sql`).

-- Functions: 1be72ac935bd0e1f
