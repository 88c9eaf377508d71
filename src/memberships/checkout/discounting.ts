import type { Config, DiscountConfig } from '../../core/config/index.ts'
import {
  discountNote,
  isEnded,
  openDiscountOf,
  type Prospect,
  type Subscription,
} from '../../core/dto/index.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { isFinal, offers } from '../subscriptions/index.ts'
import type { DiscountsHad } from '../trials/index.ts'
import { prospectOfDiscount, requireShown } from './prospect.ts'
import type { ActionResult, Once } from './single-action.ts'
import { findTarget, refused, refusePlanned, type Target, unsupported } from './target.ts'

export interface Discounting {
  /**
   * Reduces the next payment by the configured percentage.
   * @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER,
   * ERR_SHOWN_CHANGED
   */
  discount(target: DiscountInput): Promise<ActionResult>
  readonly look: (target: DiscountInput) => Promise<Prospect>
}

/** One discount on the next payment, once per person, in place of a cancellation. The site decides how much. */
export function createDiscounting(deps: {
  storage: Storage
  ledger: Pick<Ledger, 'standingAt'>
  once: Once
  discountsHad: DiscountsHad
  config: Pick<Config, 'providers'>
  providers: ReadonlyMap<string, ProviderReader>
  now: () => Date
}): Discounting {
  const { storage, ledger, once, discountsHad, config, providers, now } = deps

  const discount = async (target: DiscountInput): Promise<ActionResult> => {
    const { user, requestedBy } = target
    const { subscription, rules } = find(target)
    // A second click finds the discount already in place, and succeeds.
    if (openDiscountOf(subscription, user.payments()) !== null) return { subscription }
    const { due_at, prospect } = await decide(target)
    requireShown(prospect, target.shown)
    if (!(await discountsHad.reserve(user, subscription))) throw repeated()
    const { percent: percent_off, coupon } = rules
    const metadata = discountNote({ percent_off, taken_at: now().toISOString(), due_at })
    const args = { subscriptionId: subscription.id, percentOff: percent_off, coupon, metadata }
    try {
      return await once.perform(
        user,
        subscription,
        {
          mode: 'discount',
          request: { percent_off, coupon, due_at },
          reason: `${percent_off} % off the next payment`,
        },
        { kind: 'discount', args, requestedBy },
        { after: discountsHad.note(user, subscription) },
      )
    } catch (error) {
      if (isFinal(error)) await storage.commit(discountsHad.release(user, subscription))
      throw error
    }
  }

  /**
   * Previews the discount.
   * @throws as `discount`
   */
  const describe = async (target: DiscountInput): Promise<Prospect> => (await decide(target)).prospect

  const find = (target: DiscountInput): { subscription: Subscription; rules: DiscountConfig } => {
    const { subscription, provider } = findTarget(providers, target)
    const rules = config.providers[provider.key]?.discount ?? null
    if (rules === null) throw refused('not_allowed', 'There is no discount here.', 'Cancel it, or change it.')
    if (!offers(provider, 'discount')) throw unsupported(provider, 'reduce the next payment')
    if (rules.coupon === null && provider.capabilities?.needs_coupon === true)
      throw refused('not_allowed', 'There is no discount here.', 'Cancel it, or change it.')
    return { subscription, rules }
  }

  const decide = async (target: DiscountInput) => {
    const { subscription, rules } = find(target)
    const due_at = nextPaymentOf(subscription, now())
    const { provider, account, id } = subscription
    if ((await ledger.standingAt({ kind: 'subscription', provider, account, id })) !== 'own')
      throw refused('foreign', 'This membership also holds items that this site does not sell.')
    if (await discountsHad.had(target.user, subscription)) throw repeated()
    return {
      subscription,
      due_at,
      prospect: prospectOfDiscount(subscription, { due_at, percent: rules.percent }),
    }
  }

  return { discount, look: describe }
}

/** A requested discount. Its form carries nothing that decides how much. */
export interface DiscountInput extends Target {
  /** The digest of the preview that the member saw. Without it nothing is compared. */
  readonly shown?: string | null
}

function repeated() {
  return refused(
    'repeated',
    'You have had this discount already. Everybody gets it once.',
    'Cancel it, or change it.',
  )
}

/**
 * Returns the day of the next payment.
 * @throws ERR_ACTION_REFUSED where none is coming, or something else was agreed on
 */
function nextPaymentOf(s: Subscription, now: Date): string {
  if (isEnded(s)) throw refused('ended', 'This membership has ended.', 'Buy it again from the prices.')
  if (s.paused_at !== null || s.resumes_at !== null)
    throw refused('already_paused', 'This membership is paused already.')
  if (s.on_trial) throw refused('on_trial', 'Nothing was paid for this membership yet.')
  if (!s.active || s.past_due || s.unit_amount === 0)
    throw refused('not_paid', 'Only a membership that is paid can get a discount.')
  refusePlanned(s)
  if (s.current_period_end === null || s.current_period_end <= now.toISOString())
    throw refused('period_unknown', 'It is not known until when this membership is paid.')
  return s.current_period_end
}
