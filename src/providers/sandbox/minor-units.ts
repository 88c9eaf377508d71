import { currencyDigits } from '../../core/dto/index.ts'

/** Digits after the point of an amount in the sandbox, which has no bank to please: those of ISO 4217. */
export const sandboxDigits = currencyDigits
