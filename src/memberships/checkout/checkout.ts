import type { Config, PlanConfig } from '../../core/config/index.ts'
import { type Subscription, trialAmountFor } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { HooksService } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import type { Changes } from '../subscriptions/index.ts'
import type { Trials } from '../trials/index.ts'
import type { MissingCustomers } from './missing-customers.ts'
import { type OrderShown, requireShownOffer } from './offer-shown.ts'
import {
  checkQuantity,
  chooseOffer,
  findOffer,
  heldBeside,
  notWhatWasPaid,
  type Offer,
  pricesBeside,
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
  /** Reads what a provider's prices are. @throws ERR_PROVIDER_ANSWER */
  readonly learnPrices: (provider: string) => Promise<unknown>
  readonly trials: Pick<Trials, 'daysFor'>
  /** Until when a subscription is paid that the site ends so that its member goes on at that provider; null for any
   *  other. */
  readonly leavesFor: (subscription: Subscription, provider: string) => Promise<string | null>
  /** The plan there that takes the place of a subscription that is left; a price of null is any of the plan's. */
  readonly targetFor: (
    subscription: Subscription,
    provider: string,
  ) => Promise<{ readonly plan: string; readonly price: string | null } | null>
  readonly now: () => Date
  readonly randomId: () => string
}

/**
 * Begins purchases. Of one buyer (member, else browser) and one group of plans there is one open checkout at a time, at
 * whichever provider: a second click comes back to it, another choice closes it first, so that two tabs cannot pay twice.
 * Whoever finished one is led to what it bought, also when the page after paying was never seen.
 */
export const createCheckout = (deps: CheckoutDeps) => {
  const { storage, hooks, config, providers, plans, trials, forLiving, now, randomId } = deps
  const statements = intentStatements(storage)
  const conflicts = createPurchaseConflicts({ storage, now })
  const opening = createOpening({ storage, changes: deps.changes, polls: config.compare.automatic, now })
  const earlier = createEarlier({ ...deps, opening })

  /** Begins a purchase at the provider for new checkouts, or at another that is asked for and allowed.
   *  @throws ERR_BUSY, ERR_PLAN_UNKNOWN, ERR_LOGIN_REQUIRED, ERR_CHECKOUT_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED,
   *  ERR_FORM, ERR_PROVIDER_ANSWER, ERR_SHOWN_CHANGED */
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

  /** Previews a purchase, decided as `begin` decides it; nothing is begun. Throws whatever that would. */
  const lookAt = async (asked: Asked): Promise<OrderShown> => {
    const { key, provider, offer } = await chosen(asked)
    // Whoever agrees to a price is told it; one that was made since the last reading is read now.
    if (offer.price.amount === null && provider.prices) await deps.learnPrices(key)
    const { offer: known, input, move } = await chosenWithTrial(asked)
    return toShown(known, input, move)
  }

  /** The offer that is asked for, as whoever asks can have it. */
  const chosen = async (asked: Asked) => {
    checkTerms(asked)
    const { key, provider } = sellerFor(asked.provider ?? null, deps)
    const isRead = deps.catalogue.isRead(key)
    const known = isRead ? null : findOffer(plans(key), asked)
    // A configured price that says its amount is sold as it stands.
    if (!isRead && (known === null || known.price.amount === null)) await deps.catalogue.waitForPrices(key)
    const offer = chooseOffer(plans(key), asked)
    const input = { ...asked, provider: key, quantity: asked.quantity ?? offer.plan.quantity.min }
    checkQuantity(offer.plan, input.quantity)
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

  /** The same, after reading what its trial costs where only the provider can say it. */
  const chosenWithTrial = async (asked: Asked) => {
    const found = await chosen(asked)
    const { trial_days, trial_amount } = found.offer.price
    if (!trial_days || trial_amount !== null || !found.provider.prices) return found
    await deps.learnPrices(found.key)
    return chosen(asked)
  }

  /** Days and amount of the trial that this buyer gets. @throws ERR_CHECKOUT_REFUSED where the amount cannot be shown */
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
   * Handles a checkout that this browser began before its visitor logged in: an open one is closed, a purchase is
   * led to.
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
    const bought = await conflicts.amongGuests(known, user)
    if (bought !== null) return pageOf(bought, input)
    return open ? earlier.makeWay(open, input) : null
  }

  /** null: the open checkout in the way is gone now, try again. */
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
        ? earlier.comeBack(open, input)
        : earlier.makeWay(open, input)
    // What was bought at the provider that is left is to be bought again.
    const stays = known.filter((item) => isOf(item, input.user) && (!isMove || item.provider === key))
    const bought = await conflicts.among(stays)
    if (bought !== null) return pageOf(bought, input)
    const intent = toIntent({ provider, offer, input, claim, id: randomId(), now: now() })
    const request = toRequest(intent, offer, input, config.providers[intent.provider], {
      ...terms,
      account: provider.account ?? '',
      signedIntent: deps.signIntent(intent.id),
    })
    try {
      await storage.commit([step(statements.insert, { ...intent, request: JSON.stringify(request) }, 1)])
    } catch (error) {
      if (error instanceof UnitConflict) return null
      throw error
    }
    return opening.open(intent, provider, request)
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

  /** Every plan that is sold here, through whichever provider. */
  const everything = (): PlanConfig[] => [...providers.keys()].flatMap((key) => plans(key))

  /**
   * Decides if the member's own subscription already ends so that they go on here, and when.
   * @throws ERR_CHECKOUT_REFUSED
   */
  const moveOf = async (user: User, { offer, quantity }: Wanted, provider: ProviderReader): Promise<Move> => {
    const all = everything()
    const isOnce = offer.price.type === 'one_time'
    if (isOnce) refuseSecondPayment(user, offer.price, all)
    const move = isOnce ? noSwitch : await endOfHeld(user, { offer, quantity }, provider)
    if (await conflicts.onItsWay(user, pricesBeside(offer, all)))
      throw new MembershipError('ERR_CHECKOUT_REFUSED', 'Your bank is still making a payment for this.', {
        action: 'Access opens by itself when it has arrived, which can take two weeks. See your account.',
      })
    return move
  }

  /** Looks at subscriptions that run still, or are over there and open here to the end of what was paid. */
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
      // The days that are left were paid for one price and quantity: they open nothing else.
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
export type CheckoutService = ReturnType<typeof createCheckout>

// Each try needs another request of the same buyer in between, which can begin, open and be closed: with three tabs six
// are possible. Too few, and all are sent away with nothing left to pay on.
const maxTries = 30

/** A purchase about to be made, and its quantity. */
interface Wanted {
  readonly offer: Offer
  readonly quantity: number
}

/** A purchase in the place of one that the site ends at another provider: nothing is charged before that moment. */
interface Move {
  readonly startsAt: string | null
  readonly isMove: boolean
}

const noSwitch: Move = { startsAt: null, isMove: false }

/** Whole days, so that nothing is charged before. */
const daysUntil = (moment: string, now: Date): number =>
  Math.max(0, Math.ceil((Date.parse(moment) - now.getTime()) / 86_400_000))

// What a member began may have become somebody else's, by the address that was typed.
const isOf = ({ member_id: id }: Pick<Intent, 'member_id'>, user: User | null): boolean =>
  user === null || id === null || id === user.id
