import { currencyDigits } from '../../core/dto/index.ts'

/** Returns the decimal digits of a currency in the sandbox: those of ISO 4217. */
export const sandboxDigits = currencyDigits
