/** An amount in minor units (cents, pence; whole yen) with its ISO 4217 currency. */
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
export const currencyDigits = (currency: string): number => isoDigits.get(currency.toUpperCase()) ?? 2

/**
 * Formats an amount for `locale` with the given number of decimal digits. An unknown currency code is written as it is.
 */
export const formatMoney = (
  { amount, currency }: Money,
  locale = 'en',
  digits = currencyDigits(currency),
): string => {
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
export const moneyWriter =
  (digitsOf: DigitsOf): WriteMoney =>
  (money, locale = 'en') => {
    const digits = money.provider === undefined ? undefined : digitsOf(money.provider, money.currency)
    return formatMoney(money, locale, digits)
  }
