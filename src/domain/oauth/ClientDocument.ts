/**
 * How a client's metadata document (OAuth Client ID Metadata Document,
 * https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/) and its public keys are fetched.
 */
import type { DocumentRequest } from "../../platform/access/PublicDocuments.ts"

/** The largest document, in bytes. The specification recommends 5 KiB; many redirect addresses need more. */
export const largestDocument = 16 * 1024

export const documentRequest = (accept: string): DocumentRequest => ({
  accept,
  largest: largestDocument,
  within: "3 seconds"
})
