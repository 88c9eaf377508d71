// Source: https://docs.stripe.com/currencies (minor units in API amounts, zero-decimal, three-decimal, special cases).
// MGA is zero-decimal here and has two digits in ISO 4217; IQD and LYD are not among the three-decimal ones.
const zeroDecimal = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const threeDecimal = new Set('BHD JOD KWD OMR TND'.split(' '))

/** Digits after the point of an amount in Stripe's API. ISK and UGX, although they have none, are "a two-decimal value,
 *  where the decimal amount is always 00"; HUF and TWD are whole in payouts only. */
export const stripeDigits = (currency: string): number =>
  zeroDecimal.has(currency.toUpperCase()) ? 0 : threeDecimal.has(currency.toUpperCase()) ? 3 : 2
