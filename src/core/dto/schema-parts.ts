import { z } from 'zod'

/** A moment in ISO 8601 UTC, to the millisecond at most. */
export const isoTime = z.iso.datetime({ offset: false })

/** An ISO 4217 code in capitals. */
export const currencyCode = z.string().regex(/^[A-Z]{3}$/)

/** The metadata that the provider stores for the site: flat strings. */
export const metadata = z.record(z.string(), z.string())
