import { isUrl } from '../../core/url.ts'
import { toDecimal } from '../../providers/decimals.ts'
import { amountOf, rhythmOf } from '../../providers/mollie/facts.ts'
import type { Payment } from '../../providers/mollie/payload.ts'
import type { Json } from '../../providers/narrow.ts'
import { isObject, obj, str } from '../../providers/narrow.ts'
import { invalid } from './errors.ts'

/** Parses the parameters of a request; like Mollie, it refuses unknown ones. @throws MollieError */
export function readParams(body: string, known: readonly string[]): Json {
  let value: unknown
  try {
    value = body === '' ? {} : JSON.parse(body)
  } catch {
    value = null
  }
  if (!isObject(value)) throw invalid('The request body is no JSON object')
  const other = Object.keys(value).find((name) => !known.includes(name))
  if (other !== undefined) throw invalid(`Non-existent body parameter "${other}" for this API call.`)
  return value
}

/** Reads an amount in minor units, written with the digits of its currency. @throws MollieError */
export function amountIn(params: Json): { readonly amount: number; readonly currency: string } {
  const { amount, currency } = amountOf((params as Payment).amount)
  // "10" or "10.0" euro is refused, and so is "10.00" yen: https://docs.mollie.com/reference/common-data-types#amount-object
  if (amount === null || currency === null || obj(params.amount).value !== toDecimal(amount, currency))
    throw invalid('The amount contains an invalid value', 'amount')
  return { amount, currency: currency.toLowerCase() }
}

/** Reads a required text. @throws MollieError */
export function textIn(params: Json, name: string): string {
  const text = str(params[name])
  if (text === null) throw invalid(`The ${name} is missing`, name)
  return text
}

/** Reads an interval of up to a year. @throws MollieError */
export function intervalIn(params: Json) {
  const rhythm = rhythmOf(params.interval)
  if (rhythm?.interval == null || rhythm.interval_count == null)
    throw invalid('The interval is invalid', 'interval')
  return { interval: rhythm.interval, interval_count: rhythm.interval_count }
}

/** Refuses a webhook address that the internet cannot reach, as Mollie does. @throws MollieError */
export function checkWebhook({ webhookUrl }: Json): void {
  if (webhookUrl === undefined || webhookUrl === null) return
  const host = isUrl(String(webhookUrl)) ? new URL(String(webhookUrl)).hostname : ''
  if (host === '' || host === 'localhost' || host.startsWith('127.'))
    throw invalid(
      'The webhook URL is invalid because it is unreachable from Mollie’s point of view',
      'webhookUrl',
    )
}

/** Returns the fields of a request that Mollie shows again. */
export function shownOf(params: Json): Json {
  return Object.fromEntries(
    ['description', 'metadata', 'redirectUrl', 'webhookUrl', 'sequenceType'].flatMap((name) =>
      params[name] === undefined ? [] : [[name, params[name]]],
    ),
  )
}
