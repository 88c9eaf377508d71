import { currencyDigits } from '../../core/dto/index.ts'

// "This currency does not support decimals. If you pass a decimal amount, an error occurs." Source:
// https://developer.paypal.com/api/rest/reference/currency-codes/ (footnotes of HUF, JPY and TWD); the error
// is DECIMALS_NOT_SUPPORTED: https://developer.paypal.com/api/rest/reference/orders/v2/errors/
const withoutDecimals = new Set(['HUF', 'JPY', 'TWD'])

/** Returns the decimal digits of a currency in PayPal's API. */
export function paypalDigits(currency: string): number {
  return withoutDecimals.has(currency.toUpperCase()) ? 0 : currencyDigits(currency)
}
