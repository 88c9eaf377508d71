declare const stated: unique symbol

/**
 * An amount in minor units (cents, pence; whole yen) with its ISO 4217 currency, both from one object. Only `moneyOf` and
 * the helpers beside it make one: the amount of a price never meets the currency of a subscription.
 */
export interface StatedMoney {
  readonly amount: number
  readonly currency: string
  readonly [stated]: true
}

/** StatedMoney whose amount an object does not state. Its currency may be known. */
export interface Unstated {
  readonly amount: null
  readonly currency: string | null
  readonly [stated]: true
}

/**
 * Reads money from two fields of one object. `toMinor` converts what the provider writes; by default that is a whole
 * number of minor units.
 */
export function moneyOf<T extends object, C extends keyof T>(
  source: T,
  fields: { readonly amount: Exclude<keyof T, C>; readonly currency: C },
  toMinor: (value: unknown, currency: string) => number | null = toWhole,
): StatedMoney | Unstated {
  const code = source[fields.currency]
  if (typeof code !== 'string' || !/^[a-z]{3}$/i.test(code))
    // A free price may name no currency.
    return source[fields.amount] === 0 ? nothingOf(unstated(null)) : unstated(null)
  const currency = code.toUpperCase()
  return { amount: toMinor(source[fields.amount], currency), currency } as StatedMoney | Unstated
}

function toWhole(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null
}

/** StatedMoney of which only the currency is known, or nothing. */
export function unstated(currency: string | null): Unstated {
  return { amount: null, currency } as Unstated
}

/** No money at all, in that currency: what somebody has whom another person pays for. */
export function nothingOf({ currency }: StatedMoney | Unstated): StatedMoney | Unstated {
  return { amount: 0, currency } as StatedMoney | Unstated
}

/** The money of one piece of several; unstated where it is no whole number of minor units. */
export function eachOf(money: StatedMoney | Unstated, pieces: number): StatedMoney | Unstated {
  return money.amount === null || !(pieces > 0) || money.amount % pieces !== 0
    ? unstated(money.currency)
    : ({ amount: money.amount / pieces, currency: money.currency } as StatedMoney)
}

/** Returns the first that states an amount; else the last. */
export function firstStated(
  first: StatedMoney | Unstated,
  ...others: readonly (StatedMoney | Unstated)[]
): StatedMoney | Unstated {
  let money = first
  for (const other of others) if (money.amount === null) money = other
  return money
}

/** Adds money; unstated where a part is, and for two currencies, which have no sum. */
export function sumOf(parts: readonly (StatedMoney | Unstated)[]): StatedMoney | Unstated {
  const [first] = parts
  if (first === undefined) return unstated(null)
  let amount = 0
  for (const part of parts) {
    if (part.amount === null || part.currency !== first.currency) return unstated(first.currency)
    amount += part.amount
  }
  return { amount, currency: first.currency } as StatedMoney
}

/** Amounts of different currencies are never compared or added. @throws TypeError */
export function requireOneCurrency(a: { readonly currency: string }, b: { readonly currency: string }): void {
  if (a.currency !== b.currency)
    throw new TypeError(`Amounts in ${a.currency} and ${b.currency} cannot be compared or added.`)
}

/** An amount in minor units with its ISO 4217 currency, as it is written. */
export interface Money {
  amount: number
  currency: string
  /** The provider that defines the minor units. Default: ISO 4217. */
  provider?: string
}

/** Formats an amount for a locale. */
export type WriteMoney = (money: Money, locale?: string) => string

/** The number of decimal digits of a currency at a provider; undefined where ISO 4217 applies. */
export type DigitsOf = (provider: string, currency: string) => number | undefined

// Minor units of ISO 4217, list one; all others have two digits. `Intl` cannot be used: its digits are those that
// people write, with none for HUF, IDR or COP, and they change by version.
// Source: https://www.six-group.com/en/products-services/financial-information/data-standards.html
const isoDigits: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

/** Decimal digits of a currency: 2 for EUR, 0 for JPY, 3 for KWD. Source: ISO 4217. */
export function currencyDigits(currency: string): number {
  return isoDigits.get(currency.toUpperCase()) ?? 2
}

/**
 * Formats an amount for `locale` with the given number of decimal digits. An unknown currency code is written as it is.
 */
export function formatMoney(
  { amount, currency }: Money,
  locale = 'en',
  digits = currencyDigits(currency),
): string {
  const major = amount / 10 ** digits
  const shown = Number.isInteger(major) ? 0 : digits
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    // Both are set, because the default of the other could cut off part of the amount.
    minimumFractionDigits: shown,
    maximumFractionDigits: shown,
  }).format(major)
}

/** Formats amounts in the minor units of the provider that each names. */
export function moneyWriter(digitsOf: DigitsOf): WriteMoney {
  return (money, locale = 'en') => {
    const digits = money.provider === undefined ? undefined : digitsOf(money.provider, money.currency)
    return formatMoney(money, locale, digits)
  }
}
