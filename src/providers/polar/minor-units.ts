// Polar uses Stripe's minor units for every amount, and has no currency with three digits. Source:
// https://github.com/polarsource/polar/blob/main/server/polar/kit/currency.py
const zeroDecimal = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))

/** Returns the decimal digits of a currency in Polar's API. */
export function polarDigits(currency: string): number {
  return zeroDecimal.has(currency.toUpperCase()) ? 0 : 2
}
