import type { PlanConfig } from '../../core/config/index.ts'
import { groupOf, sameOnce } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { CheckoutRequest, ProviderReader } from '../../providers/contract.ts'
import type { User } from '../members/index.ts'
import type { Consent } from './consent.ts'
import type { Offer } from './offers.ts'
import { type Intent, intentSeconds } from './statements.ts'

/** The same as a form asks for it: without a quantity, the least that is sold. */
export type Asked = Omit<BeginCheckout, 'quantity'> & { readonly quantity: number | null }

/** A purchase as it is asked for, with who asks and where. */
export interface BeginCheckout {
  /** Wanted plan; null where the price alone says it. */
  readonly plan: string | null
  /** Wanted price, or its look-up key; null where the plan has one. */
  readonly price: string | null
  readonly mode: 'subscription' | 'payment'
  readonly quantity: number
  /** The seller; null for the provider for new checkouts. */
  readonly provider?: string | null
  readonly currency?: string | null
  /** A promotion code as the buyer typed it. */
  readonly code?: string | null
  /** The word of the price that the buyer was shown; without it nothing is compared. */
  readonly shown?: string | null
  /** The buyer's agreement before it begins. */
  readonly consent?: Consent | null
  readonly user: User | null
  /** A path on this site. */
  readonly redirect: string
  /** Fingerprint of the browser that asks. */
  readonly browser: string
  /** The buyer's language; null where nobody knows. */
  readonly language?: string | null
  /** The site as its visitors reach it, and as this process does. */
  readonly publicUrl: string
  readonly localUrl: string
}

/** The request to the provider. A site's additions stand below the fields that are ours. */
export const toRequest = (
  intent: Intent,
  { price }: Offer,
  input: BeginCheckout,
  settings: { readonly checkout: unknown; readonly metadata: unknown } | undefined,
  { account, trialDays, trialAmount, startsAt, signedIntent }: Terms,
): CheckoutRequest => {
  // One account does not know another's customers. What is bought with a merged account's customer would leave with it
  // when the merge is taken back.
  const customer = input.user
    ?.customers(intent.provider)
    .find((known) => known.account === account && known.merged_from === undefined)
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
    currency: input.currency ?? null,
    code: input.code ?? null,
    trialDays,
    trialAmount,
    ...(startsAt === null ? {} : { startsAt }),
    email: input.user?.email ?? null,
    customerId: customer?.id ?? null,
    returnUrl: `${input.publicUrl}${returnPath(intent.mode, intent.id)}`,
    cancelUrl: `${input.publicUrl}${input.redirect}`,
    localUrl: input.localUrl,
    extra: additions(settings?.checkout, context),
    metadata: textsOnly(additions(settings?.metadata, context)),
  }
}

/** The terms that the site decides, whatever the form of a purchase says. */
export interface Terms {
  /** The label of the provider's account that sells. */
  readonly account: string
  /** As a request to the provider has it. */
  readonly trialDays: number | null
  readonly trialAmount: number
  /** When what was paid elsewhere ends; null where it begins at once. */
  readonly startsAt: string | null
  readonly signedIntent: string
}

/**
 * The name of a buyer and of a thing of which one is enough, whichever provider sells it: one of a group of plans,
 * or something paid once.
 */
export const claimOf = (
  { plan, price }: Offer,
  { user, browser, mode }: BeginCheckout,
  all: readonly PlanConfig[],
): string =>
  JSON.stringify([
    user === null ? `browser ${browser}` : `member ${user.id}`,
    mode === 'payment' ? `price ${[...sameOnce(price, all)].sort()[0]}` : `group ${groupOf(plan)}`,
  ])

/** Checks what a form, a server action or code says beside the price. @throws ERR_FORM */
export function checkTerms({ currency, code }: Pick<BeginCheckout, 'currency' | 'code'>): void {
  if (currency != null && !/^[A-Z]{3}$/.test(currency))
    throw new MembershipError('ERR_FORM', 'The currency must be a code such as EUR.')
  if (code != null && code.length > 100)
    throw new MembershipError('ERR_FORM', 'A discount code has 100 characters at most.')
}

/** True if an open checkout is for the very same thing. */
export const isSame = (
  open: Intent,
  { key, account = '' }: Pick<ProviderReader, 'key' | 'account'>,
  { price }: Offer,
  input: BeginCheckout,
  { trialDays, trialAmount, startsAt }: Pick<Terms, 'trialDays' | 'trialAmount' | 'startsAt'>,
): boolean => {
  const before = JSON.parse(open.request ?? '{}') as Partial<CheckoutRequest>
  return (
    open.provider === key &&
    open.account === account &&
    open.mode === input.mode &&
    open.price_id === price.id &&
    open.quantity === input.quantity &&
    (before.startsAt ?? null) === startsAt &&
    // Days until a moment become fewer while the page is open.
    (startsAt !== null || (before.trialDays ?? null) === trialDays) &&
    (before.trialAmount ?? 0) === trialAmount &&
    (before.currency ?? null) === (input.currency ?? null) &&
    (before.code ?? null) === (input.code ?? null) &&
    // What one agrees to now is kept, also where it was begun by somebody who was not asked.
    (open.consent != null || input.consent == null)
  )
}

/** An open purchase whose checkout the provider has yet to give; it lapses after seven days. */
export const toIntent = (given: {
  provider: Pick<ProviderReader, 'key' | 'account'>
  offer: Offer
  input: BeginCheckout
  claim: string
  id: string
  now: Date
}): Intent => ({
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
  expires_at: new Date(given.now.getTime() + intentSeconds * 1000).toISOString(),
  settled_at: null,
  claim: given.claim,
  request: null,
  language: given.input.language ?? null,
  consent: given.input.consent ? JSON.stringify(given.input.consent) : null,
})

/** The page to which the buyer comes back, as a path below the site's public address. */
export const returnPath = (mode: string, id: string): string =>
  `/membership/${mode === 'payment' ? 'payment' : 'subscribe'}/${id}`

const additions = (given: unknown, context: unknown): Record<string, unknown> => {
  const value = typeof given === 'function' ? (given as (context: unknown) => unknown)(context) : given
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const textsOnly = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))
