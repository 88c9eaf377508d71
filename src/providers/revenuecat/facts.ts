import type { ManagedIn } from '../../core/dto/index.ts'
import {
  currencyDigits,
  managedAt,
  moneyOf,
  type StatedMoney,
  type StoreName,
  storeNames,
} from '../../core/dto/index.ts'
import { int, str } from '../narrow.ts'
import type { Bought, Product, Revenue } from './payload.ts'

/** Converts milliseconds since 1970. */
export function moment(ms: unknown): string | null {
  const at = int(ms)
  return at === null || at < 0 || at > lastMs ? null : new Date(at).toISOString()
}
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Sandbox and TestFlight purchases are test purchases. Events write the word in capitals. */
export function livemodeOf({ environment }: { readonly environment?: unknown }): boolean | null {
  const word = str(environment)?.toLowerCase()
  return word === 'production' ? true : word === 'sandbox' ? false : null
}

/** Returns the store; null for granted time, and for what is sold on the web, which is connected by itself. */
export function storeOf({ store }: { readonly store?: unknown }): StoreName | null {
  const word = str(store)?.toLowerCase() ?? ''
  return Object.hasOwn(storeNames, word) ? (word as StoreName) : null
}

/** Returns true for time that the app's team granted in RevenueCat. */
export function isGranted({ store }: { readonly store?: unknown }): boolean {
  return str(store)?.toLowerCase() === 'promotional'
}

/**
 * The price of a product: RevenueCat knows products by their id in the store. Granted time has no product, so
 * its entitlement is the price.
 */
export function priceOf(raw: Bought, product: Product | null, entitlement: string | null): string | null {
  const id = isGranted(raw) ? entitlement : (str(product?.store_identifier) ?? str(raw.product_id))
  return id === null ? null : `rc:${id}`
}

/** The event by which RevenueCat opens what a store cannot confirm yet. */
export const temporaryGrant = 'TEMPORARY_ENTITLEMENT_GRANT'

/** Anonymous ids name nobody: https://www.revenuecat.com/docs/customers/identifying-customers */
export function isAnonymous(id: string): boolean {
  return id.startsWith('$RCAnonymousID:')
}

/** Decimal amount in minor units of its currency. RevenueCat computes with fractions, so it is rounded. */
export function minorOf(value: unknown, code: string): number | null {
  if (typeof value !== 'number') return null
  // The decimal point of the text is moved: 0.285 × 100 is 28.499999999999996, and 28.5 cents are 29.
  const [, digits = '', power = '0'] = /^-?([\d.]+)(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const minor = Math.round(Number(`${digits || 'NaN'}e${Number(power) + currencyDigits(code)}`))
  return Number.isSafeInteger(minor) ? minor : null
}

/** What a transaction brought: the amount that was paid, and what the store and taxes took of it. */
export function revenueOf(
  raw: Revenue,
): { readonly gross: StatedMoney; readonly shares: Record<string, string> } | null {
  // Less than nothing is left of what was given back with its costs.
  const gross = moneyOf(raw, { amount: 'gross', currency: 'currency' }, (value, code) =>
    typeof value === 'number' && value < 0 ? 0 : minorOf(value, code),
  )
  if (gross.amount === null) return null
  const { currency: code } = gross
  const shares = (['tax', 'commission', 'proceeds'] as const).flatMap((name) => {
    const minor = minorOf(raw[name], code)
    return minor === null ? [] : [[name, String(minor)] as const]
  })
  return { gross, shares: Object.fromEntries(shares) as Record<string, string> }
}

/** The page of the subscription, as RevenueCat tells it, else the store's own. */
export function managedIn({ metadata }: { readonly metadata: Readonly<Record<string, string>> }): ManagedIn {
  return managedAt(storeOf(metadata), metadata.management_url ?? null)
}
