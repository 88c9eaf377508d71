import { z } from 'zod'
import { type PlanConfig, plansSchema, toPlan } from './plan-config.ts'
import { flag, groupWords, text, time, wholeNumber } from './schema.ts'

/** A secret that signs webhooks. Its label becomes the event's `account`; '' without a label. */
export interface WebhookSecretConfig {
  readonly label: string
  readonly secret: string
}

/** A site's additions to a checkout: the same for every buyer, or computed. */
export type Additions = Readonly<Record<string, unknown>> | ((context: never) => unknown)

/** When a change of price or quantity takes effect: now, or at the end of the paid period. */
export type ChangeMoment = 'now' | 'period_end'

/** The site's rules for the cost of changes. */
export interface ChangeConfig {
  readonly upgrade: ChangeMoment
  readonly downgrade: ChangeMoment
  /** The prorations that a form may request. Default: none. */
  readonly proration: readonly ('now' | 'next' | 'none')[]
}

/** The limits of a pause. */
export interface PauseConfig {
  readonly max_days: number
  readonly access: 'closed' | 'open'
}

/** The one discount that a member may take in place of a cancellation. */
export interface DiscountConfig {
  /** 1 to 100 */
  readonly percent: number
  readonly coupon: string | null
}

/** One provider's configuration: the shared keys, and `options` as its own schema returned them. */
export interface ProviderConfig {
  /** The member's hidden field for this provider's data. */
  readonly field: string
  readonly webhook: readonly WebhookSecretConfig[]
  /** The label of the account used for API calls; null if not configured. */
  readonly account: string | null
  /** null if not configured; the provider's API key then decides. */
  readonly livemode: boolean | null
  readonly checkout: Additions
  readonly metadata: Additions
  readonly change: ChangeConfig
  /** null if members cannot pause. */
  readonly pause: PauseConfig | null
  /** null if members get no discount. */
  readonly discount: DiscountConfig | null
  /** The purpose that a payment of unknown purpose gets; null keeps it unknown until an operator decides. */
  readonly unknown_purchase: 'one_time' | null
  readonly plans: Readonly<Record<string, PlanConfig>>
  /** Whose purchases count: those that the plans name, or all of the account. */
  readonly accepts: 'plans' | 'everything'
  /** Prices that count and belong to no plan. */
  readonly prices: readonly string[]
  readonly options: unknown
}

/** The names of `webhook` at the various providers. */
export const webhookNames: readonly string[] = ['webhook', 'webhook_secret', 'webhook_id', 'webhook_auth']

const webhookWords = 'must be a secret, a list of secrets, or secrets by label'
const oneOrMore = z.union([text(webhookWords), z.array(text(webhookWords))])
function additions(description: string, words: string, values: z.ZodType = z.unknown()) {
  return z
    .union([z.custom<(context: never) => unknown>(isFunction), z.record(z.string(), values)], {
      error: words,
    })
    .default({})
    .describe(description)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function moment(description: string, fallback: ChangeMoment) {
  return z
    .enum(['now', 'period_end'], { error: 'must be "now" or "period_end"' })
    .default(fallback)
    .describe(description)
}

const changeObject = z.strictObject(
  {
    upgrade: moment(
      'When a change to something dearer takes effect: now, when the difference is paid, or period_end.',
      'now',
    ),
    downgrade: moment(
      'When a change to something cheaper takes effect: period_end, or now, what is left being credited.',
      'period_end',
    ),
    proration: z
      .array(z.enum(['now', 'next', 'none']), { error: 'must be a list of now, next, none' })
      .default([])
      .describe(
        'The values that the form field `proration` may have for an immediate change. By default forms cannot choose.',
      ),
  },
  { error: groupWords },
)

const pauseObject = z.strictObject(
  {
    max_days: time('days', { min: 1 }).describe(
      'The longest pause, counted from the end of the paid period.',
    ),
    access: z
      .enum(['closed', 'open'], { error: 'must be "closed" or "open"' })
      .default('closed')
      .describe(
        'Access during the pause: `open`, for at most `max_days` of any pause, or `closed`. Default: closed.',
      ),
  },
  { error: groupWords },
)

const percentWords = 'must be a whole number from 1 to 100'
const discountObject = z.strictObject(
  {
    percent: wholeNumber(1, percentWords)
      .max(100, percentWords)
      .describe('The percentage that the next payment is reduced by. Pages and mails show it.'),
    coupon: text('must be the id of a coupon')
      .nullable()
      .default(null)
      .describe(
        'The provider’s own coupon with this percentage, for one payment; Stripe needs it. Unless given, none.',
      ),
  },
  { error: groupWords },
)

/** The providers whose payments of unknown purpose count as one-time. */
export function boughtOnce(providers: Readonly<Record<string, ProviderConfig>>): ReadonlySet<string> {
  return new Set(
    Object.entries(providers).flatMap(([key, item]) => (item.unknown_purchase === null ? [] : [key])),
  )
}

/** The providers whose subscriptions stay open during a requested pause, each with the longest pause in days. */
export function openWhilePaused(
  providers: Readonly<Record<string, ProviderConfig>>,
): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(providers).flatMap(([key, { pause }]) =>
      pause?.access === 'open' ? [[key, pause.max_days] as const] : [],
    ),
  )
}

/** The keys below `membership.providers.{provider}` that every provider shares. */
export const providerSchema = z.strictObject({
  field: z
    .string({ error: 'must be the name of a field' })
    .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be the name of a field')
    .nullable()
    .default(null)
    .describe('The member’s hidden field for this provider’s data; the provider’s key unless given.'),
  webhook: z
    .union([oneOrMore, z.record(z.string(), oneOrMore)], { error: webhookWords })
    .default([])
    .describe(
      'Secret that signs this provider’s webhooks; a list while one replaces another; labels for several accounts. webhook_secret, webhook_id and webhook_auth mean the same.',
    ),
  account: text('must be a label of webhook')
    .nullable()
    .default(null)
    .describe(
      'The label of the account that checkouts and other calls belong to, where webhook has several labels; the first key’s unless given.',
    ),
  livemode: flag()
    .nullable()
    .default(null)
    .describe(
      'Events that count: true for live ones, false for test ones. Without it the provider’s key decides.',
    ),
  checkout: additions(
    'Added to the provider’s checkout parameters: a group of keys, or a function that returns one.',
    'must be a group of keys or a function',
  ),
  metadata: additions(
    'Kept with the purchase at the provider: flat texts, or a function that returns them.',
    'must be a flat group of texts or a function',
    z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]),
  ),
  change: changeObject
    .prefault({})
    .describe('The cost of a change of price or quantity, and when the change starts.'),
  pause: pauseObject.nullable().default(null).describe('Lets members pause; not given, nobody can.'),
  discount: discountObject
    .nullable()
    .default(null)
    .describe(
      'One discount on the next payment, once per person, for members who are about to cancel; not given, nobody gets one.',
    ),
  unknown_purchase: z
    .literal('one_time', { error: 'must be "one_time"' })
    .nullable()
    .default(null)
    .describe(
      '`one_time` treats a payment of unknown purpose as a one-time purchase, for sites without an API key. By default such a payment opens nothing until its purpose is known.',
    ),
  plans: plansSchema.default({}).describe('Plans by id: named groups of prices.'),
  accepts: z
    .enum(['plans', 'everything'], { error: 'must be "plans" or "everything"' })
    .nullable()
    .default(null)
    .describe(
      'The purchases of the provider’s account that count. `plans`: checkouts of this site, and prices of its plans. `everything`: all of them. Default: `plans` if a plan names a price, else `everything`.',
    ),
  prices: z
    .array(text('must be a price’s id'), { error: 'must be a list of prices’ ids' })
    .default([])
    .describe(
      'Ids or look-up keys of prices that this site sells without a plan, beside those of the plans.',
    ),
})

/** Converts the parsed shared keys of provider `key` for use in the package. */
export function toProviderConfig(
  key: string,
  shared: z.output<typeof providerSchema>,
  options: unknown,
): ProviderConfig {
  return {
    field: shared.field ?? key,
    webhook: toWebhookSecrets(shared.webhook),
    account: shared.account,
    livemode: shared.livemode,
    checkout: shared.checkout,
    metadata: shared.metadata,
    change: shared.change,
    pause: shared.pause,
    discount: shared.discount,
    unknown_purchase: shared.unknown_purchase,
    plans: Object.fromEntries(Object.entries(shared.plans).map(([id, plan]) => [id, toPlan(key, id, plan)])),
    accepts: shared.accepts ?? (namesPrice(shared.plans) ? 'plans' : 'everything'),
    prices: shared.prices,
    options,
  }
}

function namesPrice(plans: z.output<typeof plansSchema>): boolean {
  return Object.values(plans).some(({ prices = [], retired = [] }) => prices.length + retired.length > 0)
}

function toWebhookSecrets(input: z.output<typeof providerSchema>['webhook']): WebhookSecretConfig[] {
  const labelled = typeof input === 'string' || Array.isArray(input) ? { '': input } : input
  return Object.entries(labelled).flatMap(([label, secrets]) =>
    [secrets].flat().map((secret) => ({ label, secret })),
  )
}
