import { currencyDigits } from '../core/dto/index.ts'

/**
 * Converts a decimal amount to minor units of its currency, without its sign; null if it is not a valid
 * amount. A provider may use other digits than ISO 4217. It counts the digits of the text, so that no
 * floating-point rounding occurs.
 */
export function toMinor(value: unknown, currency: string, digitsOf = currencyDigits): number | null {
  const parts = /^-?(\d+)(?:\.(\d+))?$/.exec(String(value))
  if (parts === null) return null
  const [, whole = '', fraction = ''] = parts
  const digits = digitsOf(currency)
  if (/[^0]/.test(fraction.slice(digits))) return null
  const minor = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  return Number.isSafeInteger(minor) ? minor : null
}

/** Converts minor units to a decimal: `12.30` for 1230 euro cents, `1230` for 1230 yen. */
export function toDecimal(minor: number, currency: string, digitsOf = currencyDigits): string {
  const digits = digitsOf(currency)
  const text = String(minor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
