/** An amount in minor units (cents, pence; whole yen) with its ISO 4217 currency. */
export interface Money {
  amount: number
  currency: string
}

/** Digits after the decimal point of a currency: 2 for EUR, 0 for JPY, 3 for KWD. Source: ISO 4217 through Intl. */
export const currencyDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** The amount as people of `locale` write it. An unknown currency code is written as it is. */
export const formatMoney = ({ amount, currency }: Money, locale = 'en'): string => {
  const digits = currencyDigits(currency)
  const major = amount / 10 ** digits
  const isWhole = Number.isInteger(major)
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: isWhole ? 0 : digits,
  }).format(major)
}
