/** Searches that find nothing and ask for much, so that explaining them costs most. */
import type { SearchQuery } from "../../src/domain/search/SearchQuery.ts"

export const heavySearches = (date: string) =>
  ({
    fiveFilters: { date, city: "London", children: 11, duration_minutes: 90, amenities: ["cafe"] },
    unknownValues: {
      city: "Nowhere",
      country: "ZZ",
      amenities: ["none"],
      duration_minutes: 1435,
      max_total: { amount: 1, currency: "CHF" }
    },
    everyFilter: {
      date,
      query: "no such words",
      city: "Nowhere",
      country: "ZZ",
      children: 99,
      adults: 50,
      child_ages: [16, 17],
      duration_minutes: 1435,
      amenities: ["no one", "no two", "no three", "no four"],
      mode: "shared",
      max_total: { amount: 1, currency: "CHF" },
      start_after: "03:00",
      end_before: "04:00",
      near: { latitude: 51, longitude: -2 }
    }
  }) satisfies Record<string, SearchQuery>
