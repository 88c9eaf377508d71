import { intentLength, siteIdLength, siteKey } from '../../core/access/index.ts'
import type { PlanConfig } from '../../core/config/index.ts'
import { groupOf, sameOnce } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Step } from '../../core/storage/index.ts'
import type { CheckoutRequest, ProviderReader } from '../../providers/contract.ts'
import type { User } from '../members/index.ts'
import { offers } from '../subscriptions/index.ts'
import { type AskedAmount, toChosen } from './chosen-amount.ts'
import type { Consent } from './consent.ts'
import type { Offer } from './offers.ts'
import { type Intent, intentSeconds } from './statements.ts'

/** A purchase as a form requests it. Without a quantity, the smallest on sale applies. */
export type Asked = Omit<BeginCheckout, 'quantity'> & { readonly quantity: number | null }

/** A requested purchase, with its buyer and place. */
export interface BeginCheckout {
  /** The requested plan; null where the price alone decides. */
  readonly plan: string | null
  /** The requested price or its look-up key; null where the plan has only one. */
  readonly price: string | null
  readonly mode: 'subscription' | 'payment'
  readonly quantity: number
  /** The amount of a price whose amount people choose. */
  readonly amount?: AskedAmount
  /** The seller; null for the provider for new checkouts. */
  readonly provider?: string | null
  readonly currency?: string | null
  /** A promotion code as the buyer typed it. */
  readonly code?: string | null
  /** The token of the price that the buyer saw. Without it nothing is compared. */
  readonly shown?: string | null
  /** The buyer's consent before delivery begins. */
  readonly consent?: Consent | null
  /** What is ordered beside the price itself: written with the intent, and in its claim. */
  readonly order?: CheckoutOrder | undefined
  readonly user: User | null
  /** A path on this site. */
  readonly redirect: string
  /** Fingerprint of the buyer's browser. */
  readonly browser: string
  /** The buyer's language, or null if unknown. */
  readonly language?: string | null
  /** The site's address for its visitors, and for this process. */
  readonly publicUrl: string
  /** The page on which the buyer goes on without paying. */
  readonly cancelUrl: string
  readonly localUrl: string
}

/** An order of its own: a second one of the same price is no second click. */
export interface CheckoutOrder {
  /** The words in which two clicks are the same order. */
  readonly claim: string
  readonly stepsOf: (intentId: string) => readonly Step[]
}

/** Builds the request to the provider. A site's additions cannot override this package's fields. */
export function toRequest(
  intent: Intent,
  { price }: Offer,
  input: BeginCheckout,
  settings: { readonly checkout: unknown; readonly metadata: unknown } | undefined,
  { account, site, trialDays, trialAmount, startsAt, signedIntent }: Terms,
): CheckoutRequest {
  // An account does not know another account's customers. A purchase with a merged account's customer would leave with
  // it when the merge is undone.
  const customer = input.user
    ?.customers(intent.provider)
    .find((known) => known.account === account && known.merged_from === undefined)
  const chosen = toChosen(price)
  const context = {
    ...input,
    price: price.id,
    plan: intent.plan,
    intentId: intent.id,
    trialDays,
  }
  return {
    intentId: intent.id,
    signedIntent,
    mode: input.mode,
    priceId: price.id,
    quantity: input.quantity,
    ...(chosen === null ? {} : { chosen }),
    currency: input.currency ?? null,
    code: input.code ?? null,
    trialDays,
    trialAmount,
    ...(startsAt === null ? {} : { startsAt }),
    ...(price.until === undefined ? {} : { closes: { at: price.until, orderedAt: intent.created_at } }),
    email: input.user?.email ?? null,
    customerId: customer?.id ?? null,
    returnUrl: `${input.publicUrl}${returnPath(intent.mode, intent.id)}`,
    cancelUrl: input.cancelUrl,
    localUrl: input.localUrl,
    extra: additions(settings?.checkout, context),
    metadata: {
      ...textsOnly(additions(settings?.metadata, context)),
      ...(site === null ? {} : { [siteKey]: site }),
    },
  }
}

/** Terms that the site decides, whatever the purchase form says. */
export interface Terms {
  /** The label of the provider account that sells. */
  readonly account: string
  /** The trial days sent to the provider. */
  readonly trialDays: number | null
  readonly trialAmount: number
  /** When the days paid at another provider end; null for a purchase that begins at once. */
  readonly startsAt: string | null
  /** The id of this site; null where purchases carry none. */
  readonly site: string | null
  readonly signedIntent: string
}

/**
 * Returns the id of a purchase that begins at a site. It begins with the site's id: Chargebee and PayPal have room for it
 * and for nothing else. `random` has 24 characters.
 */
export function intentIdAt(site: string | null, random: string): string {
  return site === null ? random : `${site}${random.slice(0, intentLength - siteIdLength)}`
}

/**
 * Names a buyer together with a product that is held once, across all providers: a plan group, or a one-time product. A
 * price that may be bought again is named by itself, so that a double click still returns to one open checkout.
 */
export function claimOf(
  { plan, price }: Offer,
  { user, browser, mode, order }: BeginCheckout,
  all: readonly PlanConfig[],
): string {
  return JSON.stringify([
    user === null ? `browser ${browser}` : `member ${user.id}`,
    ...(order === undefined ? [] : [order.claim]),
    mode === 'payment'
      ? `price ${[...sameOnce(price, all)].sort()[0] ?? price.id}`
      : `group ${groupOf(plan)}`,
  ])
}

/**
 * Checks the values beside the price from a form, a server action or code.
 * @throws ERR_FORM
 */
export function checkTerms({ currency, code }: Pick<BeginCheckout, 'currency' | 'code'>): void {
  if (currency != null && !/^[A-Z]{3}$/.test(currency))
    throw new MembershipError('ERR_FORM', 'The currency must be a code such as EUR.')
  if (code != null && code.length > 100)
    throw new MembershipError('ERR_FORM', 'A discount code has 100 characters at most.')
}

/** True if an open checkout is for the same order. */
export function isSame(
  open: Intent,
  { key, account = '' }: Pick<ProviderReader, 'key' | 'account'>,
  { price }: Offer,
  input: BeginCheckout,
  { trialDays, trialAmount, startsAt }: Pick<Terms, 'trialDays' | 'trialAmount' | 'startsAt'>,
): boolean {
  const before = JSON.parse(open.request ?? '{}') as Partial<CheckoutRequest>
  return (
    open.provider === key &&
    open.account === account &&
    open.mode === input.mode &&
    open.price_id === price.id &&
    open.quantity === input.quantity &&
    (before.startsAt ?? null) === startsAt &&
    // Days until a fixed moment decrease while the page is open.
    (startsAt !== null || (before.trialDays ?? null) === trialDays) &&
    (before.trialAmount ?? 0) === trialAmount &&
    (before.chosen?.amount ?? null) === (toChosen(price)?.amount ?? null) &&
    (before.currency ?? null) === (input.currency ?? null) &&
    (before.code ?? null) === (input.code ?? null) &&
    // A new consent must be stored, so a checkout begun without one does not match.
    (open.consent != null || input.consent == null)
  )
}

/** Builds an open intent without a checkout. It expires after seven days, and with its sale. */
export function toIntent(given: {
  provider: ProviderReader
  offer: Offer
  input: BeginCheckout
  claim: string
  id: string
  now: Date
}): Intent {
  return {
    id: given.id,
    provider: given.provider.key,
    account: given.provider.account ?? '',
    mode: given.input.mode,
    plan: given.offer.plan.id,
    price_id: given.offer.price.id,
    quantity: given.input.quantity,
    member_id: given.input.user?.id ?? null,
    checkout_id: null,
    checkout_url: null,
    redirect: given.input.redirect,
    browser: given.input.browser,
    status: 'open',
    created_at: given.now.toISOString(),
    expires_at: expiryOf(given),
    settled_at: null,
    claim: given.claim,
    request: null,
    language: given.input.language ?? null,
    consent: given.input.consent ? JSON.stringify(given.input.consent) : null,
  }
}

// A page that cannot be closed stays payable after its sale, so it is still asked for.
function expiryOf({ provider, offer, now }: { provider: ProviderReader; offer: Offer; now: Date }): string {
  const { until } = offer.price
  const latest = new Date(now.getTime() + intentSeconds * 1000).toISOString()
  return until !== undefined && until < latest && offers(provider, 'expireCheckout') ? until : latest
}

/** The page that the buyer returns to, as a path below the site's public address. */
export function returnPath(mode: string, id: string): string {
  return `/membership/${mode === 'payment' ? 'payment' : 'subscribe'}/${id}`
}

function additions(given: unknown, context: unknown): Record<string, unknown> {
  const value = typeof given === 'function' ? (given as (context: unknown) => unknown)(context) : given
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textsOnly(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))
}
