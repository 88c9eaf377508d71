/** An amount in minor units (cents, pence; whole yen) with its ISO 4217 currency. */
export interface Money {
  amount: number
  currency: string
  /** The provider whose minor units these are; ISO 4217's unless given. */
  provider?: string
}

/** Writes an amount for people of a locale. */
export type WriteMoney = (money: Money, locale?: string) => string

/** The number of digits of a currency after the point; undefined where nobody says otherwise than ISO 4217. */
export type DigitsOf = (provider: string, currency: string) => number | undefined

// Minor units of ISO 4217, list one; all others have two. A table of our own, because the digits of `Intl` are those
// that people write: it has none for HUF, IDR or COP, and they change with its version.
// Source: https://www.six-group.com/en/products-services/financial-information/data-standards.html
const isoDigits: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

/** Digits after the decimal point of a currency: 2 for EUR, 0 for JPY, 3 for KWD. Source: ISO 4217. */
export const currencyDigits = (currency: string): number => isoDigits.get(currency.toUpperCase()) ?? 2

/** The amount as people of `locale` write it, with `digits` of it after the point. An unknown currency code is written
 *  as it is. */
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
    // Both are said: where one is left out, Intl's own would cut off what was paid.
    minimumFractionDigits: shown,
    maximumFractionDigits: shown,
  }).format(major)
}

/** Writes amounts in the minor units of the provider that each names. */
export const moneyWriter =
  (digitsOf: DigitsOf): WriteMoney =>
  (money, locale = 'en') => {
    const digits = money.provider === undefined ? undefined : digitsOf(money.provider, money.currency)
    return formatMoney(money, locale, digits)
  }
