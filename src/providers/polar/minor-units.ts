// Polar keeps every amount in Stripe's smallest units, and knows no currency with three digits.
// Source: https://github.com/polarsource/polar/blob/main/server/polar/kit/currency.py
const zeroDecimal = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))

/** Digits after the point of an amount in Polar's API. */
export const polarDigits = (currency: string): number => (zeroDecimal.has(currency.toUpperCase()) ? 0 : 2)
