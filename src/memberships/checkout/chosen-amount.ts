import type { Context } from 'koa'
import { currencyDigits, type DigitsOf, formatMoney, type Plan, type Price } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { FormRequest } from '../../core/http/form-router.ts'
import { localPath, wantsPage } from '../../core/http/forms.ts'
import type { Render } from '../../core/pages/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { ChosenAmount, ProviderReader } from '../../providers/contract.ts'
import { sellsAmount } from '../catalogue/index.ts'
import type { View } from '../members/index.ts'
import { unsupported } from './target.ts'

/** An amount as it arrives: minor units as a number, or a text that a person typed in units of the currency. */
export type AskedAmount = number | string | null

/**
 * Reads the amount of a form: `amount` in minor units, or `own_amount` as a person types it, which counts more.
 * @throws ERR_FORM
 */
export function readAmount(request: Pick<FormRequest, 'text'>): AskedAmount {
  const typed = request.text('own_amount', 30)
  if (typed !== null) return typed
  const given = request.text('amount', 30)
  if (given === null) return null
  if (/^[1-9][0-9]{0,11}$/.test(given)) return Number(given)
  throw new MembershipError(
    'ERR_FORM',
    'The field "amount" must be a whole number of minor units, such as 500.',
    {
      action: 'Send an amount as people write it, such as 5.50, in the field "own_amount".',
    },
  )
}

/** The fields by which a form repeats the amount. */
export function amountFields(amount: AskedAmount | undefined): Readonly<Record<string, string>> {
  return amount === null || amount === undefined
    ? {}
    : typeof amount === 'string'
      ? { own_amount: amount }
      : { amount: String(amount) }
}

/**
 * Returns the price at the amount that the buyer chose. A price with one amount stays as it is.
 * @throws ERR_FORM for an amount outside the range, one with too many decimals, another currency, or a missing one
 */
export function atChosenAmount(
  price: Price,
  { amount = null, currency = null }: { amount?: AskedAmount | undefined; currency?: string | null },
  digitsOf: DigitsOf,
): Price {
  const { choose } = price
  if (choose === undefined) {
    if (amount === null || amount === price.amount) return price
    throw new MembershipError(
      'ERR_FORM',
      `The price "${price.id}" has one amount, which buyers do not choose.`,
      {
        action: 'Send no amount.',
      },
    )
  }
  if (currency !== null && currency !== price.currency)
    throw new MembershipError('ERR_FORM', `That is paid in ${price.currency} only.`, {
      action: `Choose an amount in ${price.currency}.`,
    })
  const iso = price.currency ?? 'EUR'
  const digits = digitsOf(price.provider, iso) ?? currencyDigits(iso)
  const write = (minor: number) => formatMoney({ amount: minor, currency: iso }, 'en', digits)
  const range = `from ${write(choose.min)} to ${write(choose.max)}`
  const wrong = (message: string) =>
    new MembershipError('ERR_FORM', message, {
      action: `Choose an amount ${range}.`,
      extensions: { field: 'amount', min: choose.min, max: choose.max, currency: iso },
    })
  if (amount === null) throw wrong('The amount is missing.')
  const minor = typeof amount === 'number' ? amount : toMinor(amount, digits)
  if (minor === 'decimals')
    throw wrong(
      digits === 0
        ? `An amount in ${iso} has no decimals.`
        : `An amount in ${iso} has at most ${digits} decimals.`,
    )
  if (minor === null || !Number.isSafeInteger(minor))
    throw wrong('The amount is not a number, such as 5 or 5.50.')
  if (minor < choose.min || minor > choose.max) throw wrong(`The amount must be ${range}.`)
  return { ...price, amount: minor }
}

/** Reads `5`, `5.50` and `5,50`. No sign for thousands: `1,000` has three decimals, and is refused for euros. */
function toMinor(typed: string, digits: number): number | 'decimals' | null {
  const [, whole, decimals = ''] = /^\s*([0-9]{1,10})(?:[.,]([0-9]{1,10}))?\s*$/.exec(typed) ?? []
  if (whole === undefined) return null
  if (decimals.length > digits) return 'decimals'
  return Number(whole) * 10 ** digits + Number(decimals.padEnd(digits, '0') || 0)
}

/** The amounts that a form offers, and the range of an amount that somebody types; null for a price with one amount. */
export function choicesOf({ choose, currency, provider }: Price, voice: Voice) {
  if (choose === undefined || currency === null) return null
  const words = (amount: number) => voice.amount({ amount, currency, provider })
  return {
    currency,
    suggested: choose.suggested.map((amount) => ({ amount, text: words(amount) })),
    range: voice.say('shop.amount_range', { min: words(choose.min), max: words(choose.max) }),
  }
}

/**
 * Answers a browser's wrong amount with its field, with what was typed and what may be. Returns null then, else what
 * `run` returns. Programs get the error.
 */
export function createAmountPage(deps: {
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  readonly render: Render
}) {
  return async <T>(request: FormRequest, run: () => Promise<T>): Promise<T | null> => {
    try {
      return await run()
    } catch (error) {
      const { ctx, fields } = request
      if (!isMembershipError(error, 'ERR_FORM') || error.extensions.field !== 'amount' || !wantsPage(ctx))
        throw error
      const [plans, voice] = [(await deps.viewOf(ctx)).plans(), await deps.voiceOf(ctx)]
      const price = chosenPrice(request, plans)
      const chooses = price === undefined ? null : choicesOf(price, voice)
      if (price?.choose === undefined || chooses === null) throw error
      const write = (amount: number) =>
        voice.amount({ amount, currency: chooses.currency, provider: price.provider })
      ctx.status = 422
      ctx.type = 'html'
      ctx.body = deps.render('checkout/amount', {
        ...(await deps.pageData(ctx)),
        heading: voice.say('error.amount.title'),
        title: titleIn(voice, price.id, plans),
        chooses,
        typed: request.text('own_amount', 30) ?? '',
        problem: voice.say('shop.wrong_amount', {
          min: write(price.choose.min),
          max: write(price.choose.max),
        }),
        method: ctx.method === 'GET' ? 'get' : 'post',
        action: ctx.path,
        fields: Object.fromEntries(
          Object.entries(fields).filter(
            ([name, value]) => typeof value === 'string' && !['token', 'amount', 'own_amount'].includes(name),
          ),
        ),
        back: localPath(fields.redirect, '/'),
      })
      return null
    }
  }
}

function chosenPrice(request: FormRequest, plans: readonly Plan[]): Price | undefined {
  const named = request.text('price') ?? request.text('product')
  const plan = request.param('plan') || request.text('plan')
  return plans
    .filter(({ id }) => named !== null || id === plan)
    .flatMap(({ prices }) => prices)
    .find(
      ({ id, lookup_key, choose }) =>
        choose !== undefined && (named === null || id === named || lookup_key === named),
    )
}

/** The chosen amount for the provider; null for a price with one amount. */
export function toChosen({ choose, amount, currency, interval, interval_count }: Price): ChosenAmount | null {
  return choose === undefined || amount === null || currency === null
    ? null
    : { amount, currency, interval, interval_count: interval === null ? null : (interval_count ?? 1) }
}

/**
 * Checks that the provider sells amounts that people choose, before it is asked.
 * @throws ERR_PROVIDER_UNSUPPORTED
 */
export function checkAmount(provider: ProviderReader, price: Price, does: 'sell' | 'change' = 'sell'): void {
  if (!sellsAmount(provider, price))
    throw unsupported(
      provider,
      price.interval === null
        ? 'sell an amount that people choose'
        : 'sell a chosen amount that is paid regularly',
    )
  if (does === 'change' && price.choose !== undefined && provider.capabilities?.changes_amount === false)
    throw unsupported(provider, 'change an amount that its member chose')
}
