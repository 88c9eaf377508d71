import { z } from 'zod'
import {
  limitWindows,
  type Plan,
  type PlanWords,
  type Price,
  type TopUp,
  type TrialRule,
} from '../dto/index.ts'
import { isPlainObject } from './env.ts'
import { flag, groupWords, text, time, wholeNumber } from './schema.ts'

/** A configured plan: the DTO, with the group in which a member holds one plan at a time. */
export interface PlanConfig extends Plan {
  readonly group: string | null
  /** The quantity that a member may hold, both ends included. */
  readonly quantity: QuantityRange
  readonly trial: TrialRule
  /**
   * The kind of supply for the law of withdrawal; null means a service for a recurring price and content for a one-time
   * one.
   */
  readonly supply: Supply | null
}

/** A digital service, digital content, or anything else, which needs no consent before it begins. */
export type Supply = 'service' | 'content' | 'other'

/** A minimum and a maximum, both included. */
export interface QuantityRange {
  readonly min: number
  readonly max: number
}

/** The quantity of a plan without a configured one. */
export const oneOnly: QuantityRange = { min: 1, max: 1 }

const aboveZero = 'must be a whole number above 0'

const chooseWords = 'must be a whole number of minor units above 0, such as 500'
const saleWords = 'must be an amount in minor units, or the id of the price that the sale stands for'
const untilWords = 'must be a moment with its time zone, such as 2027-01-31T23:00:00Z'

/** The keys of a price besides its id. */
const priceShape = {
  amount: wholeNumber(0, 'must be a whole number of minor units (cents), such as 900')
    .optional()
    .describe('The amount in minor units: 900 is 9.00 EUR.'),
  currency: z
    .string({ error: 'must be a currency code such as EUR' })
    .regex(/^[A-Za-z]{3}$/, 'must be a currency code such as EUR')
    .transform((code) => code.toUpperCase())
    .optional()
    .describe('ISO 4217 code of the amount.'),
  interval: z
    .enum(['day', 'week', 'month', 'year'], { error: 'must be "day", "week", "month" or "year"' })
    .optional()
    .describe('The billing interval. Leave it out for a one-time price.'),
  interval_count: wholeNumber(1, 'must be a whole number above 0')
    .optional()
    .describe('Number of intervals between charges; 1 unless given.'),
  type: z
    .enum(['recurring', 'one_time'], { error: 'must be "recurring" or "one_time"' })
    .optional()
    .describe('recurring or one_time; one_time when there is an amount and no interval.'),
  trial_days: time('days', { min: 0 }).optional().describe('Length of the trial.'),
  label: text().optional().describe('The text beside the amount.'),
  retired: flag().optional().describe('Still opens access, no longer sold.'),
  was: z
    .union([wholeNumber(1, saleWords), text()], { error: saleWords })
    .optional()
    .describe(
      'The amount before a sale, or the price that the sale replaces. Pages name the lowest amount of the 30 days before the sale.',
    ),
  until: z.iso
    .datetime({ offset: true, error: untilWords })
    .transform((moment) => new Date(moment).toISOString())
    .optional()
    .describe('When the sale ends, such as 2027-01-31T23:00:00Z. Then the price is no longer sold.'),
  choose: z
    .strictObject(
      {
        min: wholeNumber(1, chooseWords).describe('The smallest amount, in minor units.'),
        suggested: z
          .array(wholeNumber(1, chooseWords), { error: 'must be a list of amounts in minor units' })
          .default([])
          .describe('Amounts that the form offers, in minor units.'),
        max: wholeNumber(1, chooseWords).describe('The largest amount, in minor units.'),
      },
      { error: groupWords },
    )
    .refine(({ min, max }) => min <= max, { path: ['max'], error: 'must not be below min' })
    .refine(({ min, suggested, max }) => suggested.every((amount) => amount >= min && amount <= max), {
      path: ['suggested'],
      error: 'must lie between min and max',
    })
    .optional()
    .describe(
      'The buyer chooses the amount: `{ min: 300, suggested: [500, 1000], max: 50000 }` in minor units, beside `currency`. It stands in place of `amount`.',
    ),
  gives: z
    .strictObject(
      {
        plan: text('must be the id of a plan').describe('The plan that it opens.'),
        months: wholeNumber(1, 'must be a whole number of months above 0').describe(
          'For so many months from when it is redeemed.',
        ),
      },
      { error: groupWords },
    )
    .optional()
    .describe('A one-time price that opens a plan for a limited time, for the buyer or as a gift.'),
  adds: z
    .record(
      z.string(),
      z.union(
        [
          wholeNumber(1, aboveZero).transform((amount): TopUp => ({ amount })),
          z.strictObject({
            amount: wholeNumber(1, aboveZero),
            days: time('days', { min: 1 }).optional(),
          }),
        ],
        { error: 'must be a whole number above 0, or { amount, days }' },
      ),
      { error: groupWords },
    )
    .optional()
    .describe(
      'Top-up, for a price that is paid once: limit → the amount that one piece adds, or `{ amount, days }` where it expires.',
    ),
}

function priceWith<Id extends z.ZodType>(id: Id) {
  return z
    .strictObject(
      {
        id,
        ...priceShape,
      },
      { error: groupWords },
    )
    .refine((price) => price.amount === undefined || price.currency !== undefined, {
      path: ['currency'],
      error: 'is missing beside an amount',
    })
    .refine((price) => price.choose === undefined || price.currency !== undefined, {
      path: ['currency'],
      error: 'is missing beside choose',
    })
    .refine(
      (price) => price.choose === undefined || price.type !== 'recurring' || price.interval !== undefined,
      {
        path: ['interval'],
        error: 'is missing beside choose: the site decides how often the chosen amount is paid',
      },
    )
    .refine(
      ({ choose, amount, was, until, gives, adds, trial_days }) =>
        choose === undefined ||
        (!trial_days && [amount, was, until, gives, adds].every((other) => other === undefined)),
      {
        path: ['choose'],
        error: 'cannot stand beside amount, was, until, gives, adds or trial_days',
      },
    )
    .refine((price) => price.type !== 'one_time' || price.interval === undefined, {
      path: ['interval'],
      error: 'cannot stand beside type "one_time"',
    })
    .refine(
      (price) => price.gives === undefined || (price.interval === undefined && price.type !== 'recurring'),
      { path: ['gives'], error: 'can only stand at a price that is paid once' },
    )
    .refine((price) => price.interval_count === undefined || price.interval !== undefined, {
      path: ['interval'],
      error: 'is missing beside interval_count',
    })
    .refine((price) => price.adds === undefined || price.interval === undefined, {
      path: ['adds'],
      error: 'is for a price that is paid once; what a subscription includes stands in the plan’s limits',
    })
}
const priceId = text('must be the price’s id').describe('The provider’s id of the price, or its look-up key.')
const priceObject = priceWith(priceId)
type PriceInput = z.output<typeof priceObject>

const linesWords = 'Lines that a pricing page lists.'
const linesInLanguage = 'The lines of a pricing page in that language.'
const formerName = 'The former name of `lines` of membership.plans.'
const lines = z.array(text(), { error: 'must be a list of texts' }).optional()

/** The keys of a plan that are the same in both places. */
const planShape = {
  name: text().optional().describe('The name on pages. Default: made from the plan’s id.'),
  description: text().optional().describe('A sentence below the name.'),
  opens: z
    .array(text('must be the name of a feature'), { error: 'must be a list of features’ names' })
    .optional()
    .describe('Features that it opens, such as `[archive, export]`; several plans may open the same one.'),
  limits: z
    .record(
      z.string(),
      z.strictObject(
        {
          amount: wholeNumber(0, 'must be a whole number, 0 or more').describe(
            'The amount that is included.',
          ),
          every: z
            .enum(limitWindows, { error: `must be one of ${limitWindows.join(', ')}` })
            .describe(
              'When the count begins anew: each calendar `day`, `week`, `month` or `year` (UTC), each `period` that is paid, or never (`once`).',
            ),
          trial: wholeNumber(0, 'must be a whole number, 0 or more')
            .optional()
            .describe('The amount during a trial; the whole amount unless given.'),
          shared: flag()
            .optional()
            .describe(
              'For a plan with seats: all seats of a subscription take from one amount. Otherwise each person has the whole amount.',
            ),
        },
        { error: groupWords },
      ),
      { error: groupWords },
    )
    .optional()
    .describe('Limit → the amount that the plan includes of it, such as `{ amount: 100, every: month }`.'),
  url: text()
    .regex(/^(\/(?![\\/])|https:\/\/)/, 'must be a path of this site such as /archive, or an https address')
    .optional()
    .describe(
      'A path of the site, or an https address, where members find what the plan opens. The account links to it.',
    ),
  trial: z
    .enum(['once', 'always', 'never'], { error: 'must be "once", "always" or "never"' })
    .default('once')
    .describe('Trials of its prices: `once` for each person and group, `always`, or `never`.'),
  supply: z
    .enum(['service', 'content', 'other'], { error: 'must be "service", "content" or "other"' })
    .optional()
    .describe(
      'The kind of supply, for the right of withdrawal: a digital `service`, digital `content`, or `other`, which asks for no consent. Default: `service` for subscriptions, `content` for one-time purchases.',
    ),
  quantity: z
    .strictObject(
      {
        min: wholeNumber(1, 'must be a whole number above 0').default(1).describe('The least that is sold.'),
        max: wholeNumber(1, 'must be a whole number above 0').default(1).describe('The most that is sold.'),
      },
      { error: groupWords },
    )
    .refine(({ min, max }) => min <= max, { path: ['max'], error: 'must not be below min' })
    .optional()
    .describe('The quantity that one buyer may have. Default: one.'),
  seats: z
    .union([z.literal('quantity'), wholeNumber(1, 'must be a whole number above 0')], {
      error: 'must be "quantity" or a whole number above 0',
    })
    .optional()
    .describe(
      'The number of people that one subscription covers: `quantity` for one seat per unit paid, or a number.',
    ),
  recommended: flag().optional().describe('Marks the plan as the recommended one on the price page.'),
}

function wordsOf<Lines extends z.ZodRawShape>(named: Lines) {
  return z
    .record(
      z.string(),
      z.strictObject(
        {
          name: text().optional().describe('The name in that language.'),
          description: text().optional().describe('The description in that language.'),
          ...named,
        },
        { error: groupWords },
      ),
      { error: groupWords },
    )
    .optional()
    .describe(
      'Language tag → what the plan is called and said to be in that language; pages and mails fall back to the words above.',
    )
}

const chooseQuantity = {
  path: ['quantity'],
  error: 'must be 1 in a plan with a price that has `choose`',
}
const retiredIds = z.array(text(), { error: 'must be a list of price ids' })
function pricesOf<Price extends z.ZodType>(price: Price) {
  return z.array(
    z.preprocess((given) => (typeof given === 'string' ? { id: given } : given), price),
    { error: 'must be a list of price ids or prices' },
  )
}
const pricesWords = 'Price ids, or prices in full; look-up keys are fine.'
const retiredWords = 'Ids of prices that still open access and are no longer sold.'

const groupText = 'A member holds one plan of a plan group at a time.'

const planObject = z
  .strictObject(
    {
      ...planShape,
      group: text()
        .optional()
        .describe(`${groupText} The former name of \`plan_group\` of membership.plans.`),
      features: lines.describe(`${linesWords} ${formerName}`),
      words: wordsOf({ features: lines.describe(`${linesInLanguage} ${formerName}`) }),
      retired: retiredIds.optional().describe(retiredWords),
      prices: pricesOf(priceObject).optional().describe(pricesWords),
    },
    { error: groupWords },
  )
  .refine(hasOneBuyerAmount, chooseQuantity)
type PlanInput = z.output<typeof planObject>

function hasOneBuyerAmount({
  prices = [],
  quantity,
}: {
  prices?: readonly { choose?: unknown }[]
  quantity?: QuantityRange
}): boolean {
  return (quantity?.max ?? 1) === 1 || prices.every(({ choose }) => choose === undefined)
}

/**
 * `membership.providers.{provider}.plans`. A dot in a plan's id splits it like every key; price ids are values and may
 * contain dots.
 */
export const plansSchema = z.record(z.string(), planObject, { error: groupWords })

function byProvider<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value, { error: 'must be a list, or a group of lists by provider' })
}
const idsWords = 'must be the price’s id, or a group of ids by provider'
const siteId = z
  .union([text(idsWords), z.record(z.string(), text(idsWords), { error: idsWords })], { error: idsWords })
  .describe('The provider’s id of the price, or its look-up key; ids by provider for one price at several.')
const sitePrices = pricesOf(priceWith(siteId))

/**
 * A plan of `membership.plans`. Its lists stand plain or by provider, and the schema is chosen by what is given, so that
 * a problem names the key below.
 */
export function sitePlanSchema(given: { readonly prices?: unknown; readonly retired?: unknown } = {}) {
  return z
    .strictObject(
      {
        ...planShape,
        plan_group: text().optional().describe(groupText),
        group: text()
          .optional()
          .describe('The former name of `plan_group`. It works through 2.x, and is logged.'),
        lines: lines.describe(linesWords),
        words: wordsOf({ lines: lines.describe(linesInLanguage) }),
        retired: (isPlainObject(given.retired) ? byProvider(retiredIds) : retiredIds)
          .optional()
          .describe(`${retiredWords} A list, or lists by provider.`),
        prices: (isPlainObject(given.prices) ? byProvider(sitePrices) : sitePrices)
          .optional()
          .describe(`${pricesWords} A list, or lists by provider.`),
      },
      { error: groupWords },
    )
    .refine(
      ({ prices = [], quantity }) => hasOneBuyerAmount({ prices: Object.values(prices).flat(), quantity }),
      chooseQuantity,
    )
}
export type SitePlanInput = z.output<ReturnType<typeof sitePlanSchema>>

/** Builds a plan's DTO. Prices keep the given order; retired ids follow. */
export function toPlan(provider: string, id: string, input: PlanInput): PlanConfig {
  const prices = (input.prices ?? []).map((price) => toPrice(provider, id, price))
  const retired = (input.retired ?? []).map((price) => toPrice(provider, id, { id: price, retired: true }))
  return {
    id,
    provider,
    name: input.name ?? toName(id),
    description: input.description ?? null,
    lines: input.features ?? [],
    features: input.features ?? [],
    ...(input.url === undefined ? {} : { url: input.url }),
    ...(input.words === undefined ? {} : { words: withLines(input.words) }),
    ...(input.seats === undefined ? {} : { seats: input.seats }),
    ...(input.recommended === true ? { recommended: true } : {}),
    ...(input.opens === undefined ? {} : { opens: [...new Set(input.opens)] }),
    ...(input.limits === undefined ? {} : { limits: input.limits }),
    group: input.group ?? null,
    quantity: input.quantity ?? oneOnly,
    trial: input.trial,
    supply: input.supply ?? null,
    prices: [...prices, ...retired],
  }
}

/** Adds each language's lines under their name beside the former one. */
function withLines(words: NonNullable<PlanInput['words']>): Record<string, PlanWords> {
  return Object.fromEntries(
    Object.entries(words).map(([tag, named]) => {
      const { features } = named
      return [tag, features === undefined ? named : Object.assign({ lines: features }, named)]
    }),
  )
}

function toPrice(provider: string, plan: string, input: PriceInput): Price {
  return {
    id: input.id,
    plan,
    provider,
    // A bare id does not state its type. Memberships mostly recur, and the provider's catalogue corrects it.
    type: input.type ?? (isPaidOnce(input) ? 'one_time' : 'recurring'),
    currency: input.currency ?? null,
    amount: input.amount ?? null,
    interval: input.interval ?? null,
    interval_count: input.interval ? (input.interval_count ?? 1) : null,
    trial_days: input.trial_days ?? null,
    // The provider charges it, and the catalogue adds its amount.
    trial_amount: null,
    label: input.label ?? null,
    lookup_key: null,
    retired: input.retired ?? false,
    ...(input.gives === undefined ? {} : { gives: input.gives }),
    ...(input.adds === undefined ? {} : { adds: input.adds }),
    ...(typeof input.was === 'number' ? { was: input.was } : {}),
    ...(typeof input.was === 'string' ? { stands_for: input.was } : {}),
    ...(input.until === undefined ? {} : { until: input.until }),
    ...(input.choose === undefined ? {} : { choose: input.choose }),
  }
}

function isPaidOnce({ amount, interval, gives, adds, choose }: PriceInput): boolean {
  return gives !== undefined || ([amount, adds, choose].some((given) => given !== undefined) && !interval)
}

function toName(id: string): string {
  const words = id.replace(/[-_]+/g, ' ').trim()
  return words === '' ? id : words[0]!.toUpperCase() + words.slice(1)
}

/** Finds price ids used twice among a provider's plans, with the plans that name them. */
export function findRepeatedPrices(plans: readonly PlanConfig[]): { id: string; plans: string[] }[] {
  const holders = new Map<string, string[]>()
  for (const price of plans.flatMap((plan) => plan.prices))
    holders.set(price.id, [...(holders.get(price.id) ?? []), price.plan])
  return [...holders].filter(([, held]) => held.length > 1).map(([id, held]) => ({ id, plans: held }))
}
