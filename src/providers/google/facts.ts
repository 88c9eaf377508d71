import { currencyDigits, moneyOf, type StatedMoney, type Unstated } from '../../core/dto/index.ts'
import { int, obj, str, time, whole } from '../narrow.ts'
import type { Amount, Subscription } from './payload.ts'

/** Converts Unix milliseconds. */
export function moment(ms: number | null): string | null {
  return ms === null ? null : time(ms / 1000)
}

/** The id of a product, or of a base plan of it, in the configuration. */
export function priceIdOf(product: string | null, basePlan: string | null = null): string | null {
  return product === null ? null : ['google', product, ...(basePlan === null ? [] : [basePlan])].join(':')
}

/**
 * Converts an amount, given as whole units and billionths. Source:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/Money
 */
export function amountOf(raw: Amount): StatedMoney | Unstated {
  return moneyOf(raw, { amount: 'units', currency: 'currencyCode' }, (units, code) => {
    const factor = 10 ** currencyDigits(code)
    return (whole(units) ?? 0) * factor + Math.round(((int(raw.nanos) ?? 0) * factor) / 1e9)
  })
}

/**
 * The id that the app gave to the purchase. Source:
 * https://developer.android.com/google/play/billing/developer-payload#attribute
 */
export function customerOf(raw: Subscription): string | null {
  return str(obj(raw.externalAccountIdentifiers).obfuscatedExternalAccountId)
}
