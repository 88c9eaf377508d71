// Source: https://docs.stripe.com/currencies (minor units in API amounts, zero-decimal, three-decimal,
// special cases). MGA is zero-decimal here but has two digits in ISO 4217; IQD and LYD are not three-decimal
// here.
const zeroDecimal = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const threeDecimal = new Set('BHD JOD KWD OMR TND'.split(' '))

/**
 * Returns the decimal digits of a currency in Stripe's API. ISK and UGX have none, but are "a two-decimal
 * value, where the decimal amount is always 00"; HUF and TWD are whole only in payouts.
 */
export function stripeDigits(currency: string): number {
  return zeroDecimal.has(currency.toUpperCase()) ? 0 : threeDecimal.has(currency.toUpperCase()) ? 3 : 2
}
