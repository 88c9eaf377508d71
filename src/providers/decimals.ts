import { currencyDigits } from '../core/dto/index.ts'

/** An amount that is written as a decimal number, in minor units of its currency; without its sign, and null for what is
 *  no amount of that currency; a provider may have other digits than ISO 4217. Counted by the digits of the text, and never by a fraction in floating point. */
export const toMinor = (value: unknown, currency: string, digitsOf = currencyDigits): number | null => {
  const parts = /^-?(\d+)(?:\.(\d+))?$/.exec(String(value))
  if (parts === null) return null
  const [, whole = '', fraction = ''] = parts
  const digits = digitsOf(currency)
  if (/[^0]/.test(fraction.slice(digits))) return null
  const minor = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  return Number.isSafeInteger(minor) ? minor : null
}

/** The other way: `12.30` for 1230 euro cents, `1230` for as many yen. */
export const toDecimal = (minor: number, currency: string, digitsOf = currencyDigits): string => {
  const digits = digitsOf(currency)
  const text = String(minor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
