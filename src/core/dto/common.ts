import { z } from 'zod'

/** A moment in ISO 8601 UTC, to the millisecond at most. */
export const isoTime = z.iso.datetime({ offset: false })

/** An ISO 4217 code in capitals. */
export const currencyCode = z.string().regex(/^[A-Z]{3}$/)

/** The metadata that the provider stores for the site: flat strings. */
export const metadata = z.record(z.string(), z.string())

/** Freezes a plain value deeply and returns it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
