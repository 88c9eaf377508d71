import type { Config, PlanConfig } from '../../core/config/index.ts'
import { type DigitsOf, type Subscription, trialAmountFor } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { type Storage, UnitConflict } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { HooksService } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import type { Changes } from '../subscriptions/index.ts'
import type { Trials } from '../trials/index.ts'
import { createBeginning } from './beginning.ts'
import { atChosenAmount, checkAmount } from './chosen-amount.ts'
import type { MissingCustomers } from './missing-customers.ts'
import { type OrderShown, requireShownOffer } from './offer-shown.ts'
import {
  checkQuantity,
  chooseOffer,
  findOffer,
  heldBeside,
  isBoughtAgain,
  notWhatWasPaid,
  type Offer,
  pricesBeside,
  quantitiesOf,
  refuseSecondPayment,
  secondSubscription,
  sellerFor,
  tooEarly,
  unknownTrialAmount,
} from './offers.ts'
import { type BegunCheckout, busy, createEarlier, createOpening, isOpen, pageOf } from './opening.ts'
import { createPurchaseConflicts } from './purchase-conflicts.ts'
import {
  type Asked,
  type BeginCheckout,
  checkTerms,
  claimOf,
  intentIdAt,
  isSame,
  toIntent,
  toRequest,
} from './request.ts'
import type { Settling } from './settle.ts'
import { type Intent, intentStatements } from './statements.ts'
import { checkSells } from './target.ts'

export interface CheckoutDeps {
  readonly storage: Storage
  readonly settling: Settling
  readonly forLiving: MissingCustomers['forLiving']
  readonly signIntent: (id: string) => string
  readonly hooks: Pick<HooksService, 'before'>
  readonly config: Config
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly plans: (provider: string) => readonly PlanConfig[]
  readonly changes: Changes
  readonly catalogue: Pick<Catalogue, 'isElsewhere' | 'isRead' | 'waitForPrices'>
  /**
   * Reads the provider's prices.
   * @throws ERR_PROVIDER_ANSWER
   */
  readonly learnPrices: (provider: string) => Promise<unknown>
  readonly trials: Pick<Trials, 'daysFor'>
  /**
   * The end of the paid period of a subscription that the site ends so that its member continues at that provider; null
   * for any other.
   */
  readonly leavesFor: (subscription: Subscription, provider: string) => Promise<string | null>
  /** The plan at the new provider that replaces the subscription. A null price means any price of the plan. */
  readonly targetFor: (
    subscription: Subscription,
    provider: string,
  ) => Promise<{ readonly plan: string; readonly price: string | null } | null>
  readonly digitsOf: DigitsOf
  readonly now: () => Date
  readonly randomId: () => string
  /** The id of the site, which its purchases carry; null where they carry none. */
  readonly site: string | null
}

export interface CheckoutService {
  /**
   * Begins a purchase at the provider for new checkouts, or at an allowed provider that the form names.
   * @throws ERR_BUSY, ERR_PLAN_UNKNOWN, ERR_LOGIN_REQUIRED, ERR_CHECKOUT_REFUSED, ERR_REFUSED,
   * ERR_PROVIDER_UNSUPPORTED, ERR_FORM, ERR_PROVIDER_ANSWER, ERR_SHOWN_CHANGED
   */
  begin(asked: Asked): Promise<BegunCheckout>
  /** Previews a purchase by the rules of `begin`. Begins nothing, and throws what `begin` would throw. */
  lookAt(asked: Asked): Promise<OrderShown>
}

/**
 * Begins purchases. A buyer (a member, else a browser) has at most one open checkout per plan group, across all
 * providers. A second click returns to it. Another choice closes it first, so that two tabs cannot pay twice. A buyer
 * who already finished one is led to that purchase, even if they never saw the page after paying.
 */
export function createCheckout(deps: CheckoutDeps): CheckoutService {
  const { storage, hooks, config, providers, plans, trials, forLiving, now, randomId } = deps
  const statements = intentStatements(storage)
  const beginning = createBeginning(storage)
  const conflicts = createPurchaseConflicts({ storage, now })
  const opening = createOpening({ storage, changes: deps.changes, polls: config.compare.automatic, now })
  const earlier = createEarlier({ ...deps, opening })

  const begin = async (asked: Asked): Promise<BegunCheckout> => {
    const { key, provider, offer, input, move } = await chosenWithTrial(asked)
    if (input.shown != null) requireShownOffer(await toShown(offer, input, move), input.shown)
    await hooks.before(input.mode === 'payment' ? 'payment.received' : 'subscription.started', {
      member: input.user,
      price_id: offer.price.id,
      plan: offer.plan.id,
      quantity: input.quantity,
      currency: input.currency ?? null,
    })
    const before = input.user === null ? null : await fromBeforeLogin(offer, input, input.user)
    if (before !== null) return before
    return forLiving(input.user, key, async (user) => {
      for (let tries = 0; tries < maxTries; tries++) {
        const begun = await attempt(provider, offer, { ...input, user }, move)
        if (begun !== null) return begun
      }
      throw busy('Another checkout of yours is being opened right now.')
    })
  }

  const lookAt = async (asked: Asked): Promise<OrderShown> => {
    const { key, provider, offer } = await chosen(asked)
    // A buyer must see the amount. A price newer than the last reading is therefore read now.
    if (isUnknown(offer) && provider.prices) await deps.learnPrices(key)
    const { offer: known, input, move } = await chosenWithTrial(asked)
    return toShown(known, input, move)
  }

  /** Finds the requested offer, and checks that this buyer can have it. */
  const chosen = async (asked: Asked) => {
    checkTerms(asked)
    const { key, provider } = sellerFor(asked.provider ?? null, deps)
    const isRead = deps.catalogue.isRead(key)
    const known = isRead ? null : findOffer(plans(key), asked)
    // A configured price with an amount is sold without waiting for the provider's prices.
    if (!isRead && (known === null || isUnknown(known))) await deps.catalogue.waitForPrices(key)
    const listed = chooseOffer(plans(key), asked)
    const offer = { ...listed, price: atChosenAmount(listed.price, asked, deps.digitsOf) }
    checkAmount(provider, offer.price)
    const input = { ...asked, provider: key, quantity: asked.quantity ?? quantitiesOf(offer).min }
    checkQuantity(offer, input.quantity)
    checkAccount(provider, offer)
    checkSells(provider, input)
    if (input.user === null && !config.members.create)
      throw new MembershipError('ERR_LOGIN_REQUIRED', 'Please log in before you buy.', {
        action: 'Log in, then choose the price again.',
      })
    const wanted = { offer, quantity: input.quantity }
    const move = input.user === null ? noSwitch : await moveOf(input.user, wanted, provider)
    return { key, provider, offer, input, move }
  }

  /** Same as `chosen`, after reading a trial's price that only the provider knows. */
  const chosenWithTrial = async (asked: Asked) => {
    const found = await chosen(asked)
    const { trial_days, trial_amount } = found.offer.price
    if (!trial_days || trial_amount !== null || !found.provider.prices) return found
    await deps.learnPrices(found.key)
    return chosen(asked)
  }

  /**
   * Returns the days and amount of this buyer's trial.
   * @throws ERR_CHECKOUT_REFUSED where the amount cannot be shown
   */
  const trialFor = async (user: User | null, offer: Offer) => {
    const days = await trials.daysFor(user, offer)
    const amount = trialAmountFor(offer.price, days)
    if (amount === null) throw unknownTrialAmount(offer.price)
    return { days, amount }
  }

  const toShown = async (offer: Offer, input: BeginCheckout, move: Move): Promise<OrderShown> => ({
    ...offer,
    trial_days: (await trialFor(input.user, offer)).days,
    quantity: input.quantity,
    starts_at: move.startsAt,
    currency: input.currency == null || input.currency === offer.price.currency ? null : input.currency,
    code: input.code ?? null,
  })

  /**
   * Handles a checkout that this browser began before the login. An open one is closed; a finished one leads to its
   * purchase.
   */
  const fromBeforeLogin = async (
    offer: Offer,
    input: BeginCheckout,
    user: User,
  ): Promise<BegunCheckout | null> => {
    const known = await storage.all(statements.ofClaim, {
      claim: claimOf(offer, { ...input, user: null }, everything()),
    })
    const open = known.find(isOpen)
    const bought = isBoughtAgain(offer) ? null : await conflicts.amongGuests(known, user)
    if (bought !== null) return pageOf(bought, input)
    return open ? earlier.makeWay(open, input, isBoughtAgain(offer)) : null
  }

  /** Returns null once the blocking checkout is closed. The caller then tries again. */
  const attempt = async (
    provider: ProviderReader,
    offer: Offer,
    input: BeginCheckout,
    { startsAt, isMove }: Move,
  ): Promise<BegunCheckout | null> => {
    const { key } = provider
    const claim = claimOf(offer, input, everything())
    const known = await storage.all(statements.ofClaim, { claim })
    const open = known.find(isOpen)
    const trial =
      startsAt === null ? await trialFor(input.user, offer) : { days: daysUntil(startsAt, now()), amount: 0 }
    const terms = { trialDays: trial.days, trialAmount: trial.amount, startsAt }
    if (open)
      return isSame(open, provider, offer, input, terms)
        ? earlier.comeBack(open, input, isBoughtAgain(offer))
        : earlier.makeWay(open, input, isBoughtAgain(offer))
    // A purchase at the provider that the member leaves does not block the new one.
    const stays = known.filter((item) => isOf(item, input.user) && (!isMove || item.provider === key))
    const bought = isBoughtAgain(offer) ? null : await conflicts.among(stays)
    if (bought !== null) return pageOf(bought, input)
    const id = intentIdAt(deps.site, randomId())
    const intent = toIntent({ provider, offer, input, claim, id, now: now() })
    const request = toRequest(intent, offer, input, config.providers[intent.provider], {
      ...terms,
      account: provider.account ?? '',
      site: deps.site,
      signedIntent: deps.signIntent(intent.id),
    })
    const stored = { ...intent, request: JSON.stringify(request) }
    try {
      await storage.commit([...beginning(stored), ...(input.order?.stepsOf(intent.id) ?? [])])
    } catch (error) {
      if (error instanceof UnitConflict) return null
      throw error
    }
    return opening.open(stored, provider, request)
  }

  const checkAccount = ({ key, account }: ProviderReader, { price }: Offer): void => {
    if (deps.catalogue.isElsewhere(key, price.id))
      throw new MembershipError(
        'ERR_PROVIDER_UNSUPPORTED',
        `New checkouts go to the account "${account}" of ${key}, and the price "${price.id}" is another account's.`,
        {
          action: `Name a price of that account in the plan, or the other account in membership.providers.${key}.account.`,
        },
      )
  }

  /** All plans sold here, across all providers. */
  const everything = (): PlanConfig[] => [...providers.keys()].flatMap((key) => plans(key))

  /**
   * Decides whether the member's own subscription already ends so that they continue here, and when.
   * @throws ERR_CHECKOUT_REFUSED
   */
  const moveOf = async (user: User, { offer, quantity }: Wanted, provider: ProviderReader): Promise<Move> => {
    const all = everything()
    const isOnce = offer.price.type === 'one_time'
    if (isBoughtAgain(offer)) return noSwitch
    if (isOnce) refuseSecondPayment(user, offer.price, all)
    const move = isOnce ? noSwitch : await endOfHeld(user, { offer, quantity }, provider)
    if (await conflicts.onItsWay(user, pricesBeside(offer, all)))
      throw new MembershipError('ERR_CHECKOUT_REFUSED', 'Your bank is still making a payment for this.', {
        action: 'Access opens by itself when it has arrived, which can take two weeks. See your account.',
      })
    return move
  }

  /** Checks subscriptions that still run, and ended ones that are still open here until the paid period is over. */
  const endOfHeld = async (
    user: User,
    { offer, quantity }: Wanted,
    provider: ProviderReader,
  ): Promise<Move> => {
    const { plan, price } = offer
    const { living, open } = heldBeside(user, plan, everything())
    let last: string | null = null
    for (const held of [...living, ...open]) {
      const until = await deps.leavesFor(held, provider.key)
      if (until === null && living.includes(held)) throw secondSubscription(held)
      // The remaining days were paid for one price and quantity, and open nothing else.
      if (until !== null && until > now().toISOString()) {
        const target = await deps.targetFor(held, provider.key)
        const isSame = target?.plan === plan.id && (target.price === null || target.price === price.id)
        if (!isSame || quantity > (held.quantity ?? 1)) throw notWhatWasPaid(until, held.quantity ?? 1)
      }
      if (until !== null && (last === null || until > last)) last = until
    }
    if (last === null) return noSwitch
    if (last <= now().toISOString()) return { startsAt: null, isMove: true }
    if (provider.capabilities?.starts_later !== true) throw tooEarly(last)
    return { startsAt: last, isMove: true }
  }

  return { begin, lookAt }
}

// Each try needs another request of the same buyer in between, to begin, open or close a checkout. Three tabs can make
// six. With too few tries all of them would fail, with nothing left to pay.
const maxTries = 30

function isUnknown({ price }: Offer): boolean {
  return price.amount === null && price.choose === undefined
}

/** A purchase about to be made, and its quantity. */
interface Wanted {
  readonly offer: Offer
  readonly quantity: number
}

/** A purchase that replaces one at another provider. Nothing is charged before `startsAt`. */
interface Move {
  readonly startsAt: string | null
  readonly isMove: boolean
}

const noSwitch: Move = { startsAt: null, isMove: false }

/** Rounded up to whole days, so that nothing is charged too early. */
function daysUntil(moment: string, now: Date): number {
  return Math.max(0, Math.ceil((Date.parse(moment) - now.getTime()) / 86_400_000))
}

// A purchase that this member began may belong to another member, found by the typed address.
function isOf({ member_id: id }: Pick<Intent, 'member_id'>, user: User | null): boolean {
  return user === null || id === null || id === user.id
}
