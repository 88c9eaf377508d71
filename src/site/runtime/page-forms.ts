import type { Plan, Price, Subscription } from '../../core/dto/index.ts'
import { perWords, priceWords, sameOnce, titleOf, trialWords } from '../../core/dto/index.ts'
import { isOf, type SubscriptionAction, type View } from '../../memberships/members/index.ts'

/** A form of the page: where it is sent, with what, and what its button says. */
export interface PageForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: string
}

/** Plans as the price list shows them: words for every price that is sold or owned, and what this visitor can do about it. */
export const plansForPage = (view: View) =>
  view
    .plans()
    .map((plan) => ({
      ...plan,
      prices: plan.prices
        .filter((price) => !price.retired)
        .map((price) => ({
          price,
          does: view.provider(price.provider).subscriptionAction(price.id as never),
          owned: isOwned(view, price),
        }))
        .filter(({ does, owned }) => owned || does.reason !== 'not-sold')
        .map(({ price, does, owned }) => ({
          ...price,
          formatted: priceWords(price, view.money),
          per: perWords(price),
          trial: trialWords({ ...price, trial_days: does.trial_days }, view.money),
          owned,
          action: toButton(does, view),
        })),
    }))
    .filter(({ prices }) => prices.length > 0)

// Open now: whoever once paid for a period may buy the next.
const isOwned = (view: View, price: Price): boolean => {
  const user = view.user()
  if (user === null) return false
  if (price.type === 'one_time') return sameOnce(price, view.plans()).some((id) => user.hasPayment(id))
  return user.subscriptions().some((s) => !s.ended && s.status !== 'incomplete' && s.hasPrice(price.id))
}

/** What the price card's button does; null where there is nothing to do. A change is shown what it costs first. */
const toButton = (does: SubscriptionAction, view: View) => {
  if (does.url === null || does.action === 'cancel') return null
  const { fields } = does
  const name = does.action === 'buy' ? 'subscribe' : does.action
  return { name, method: 'post', url: does.action === 'change' ? changeUrl(does, view) : does.url, fields }
}

const changeUrl = ({ url, subscription_id }: SubscriptionAction, view: View): string => {
  const s = view
    .user()
    ?.subscriptions()
    .find(({ id }) => id === subscription_id)
  return s && view.provider(s.provider).can().preview ? previewUrl(s) : (url ?? '')
}

const previewUrl = (s: Subscription): string => `/membership/invoice/${encodeURIComponent(s.id)}`

/** What a member can do to one subscription on the account page. */
export const formsFor = (s: Subscription, view: View): PageForm[] => {
  const can = view.provider(s.provider).can()
  const address = (verb: string) => `/membership/${verb}/${encodeURIComponent(s.id)}`
  if (s.status === 'incomplete' || s.status === 'expired') return []
  if (view.standing() === 'unverified' && (s.ended || s.past_due || s.status === 'unpaid')) return []
  if (s.ended) return [{ url: address('renew'), fields: {}, label: 'Buy it again' }]
  // The button to pay stands on top of every page.
  if (s.past_due || s.status === 'unpaid') return []
  const stops = s.cancel_at_period_end || s.cancel_at !== null
  // The rest is done after a login by a link.
  if (view.standing() === 'unverified')
    return !stops && can.cancel ? [{ url: address('cancel'), fields: {}, label: 'Cancel' }] : []
  const pauses = s.status === 'paused' || s.paused_at !== null
  return [
    ...(s.scheduled_change === null
      ? []
      : [{ url: address('change'), fields: { price: s.price_id ?? '' }, label: 'Keep what I have' }]),
    ...(can.swap && !pauses ? changesOf(s, view) : []),
    ...(pauses && !stops ? [{ url: address('resume'), fields: {}, label: 'Go on' }] : []),
    ...(can.pause && !stops && !pauses && s.status === 'active' && s.scheduled_change === null
      ? [{ url: address('pause'), fields: {}, label: 'Pause' }]
      : []),
    ...(stops ? [{ url: address('renew'), fields: {}, label: 'Keep it' }] : []),
    ...(!stops && can.cancel ? [{ url: address('cancel'), fields: {}, label: 'Cancel' }] : []),
    ...(can.portal && isBesides(s, view)
      ? [{ url: '/membership/portal', fields: { subscription: s.id }, label: 'Card and invoices' }]
      : []),
  ]
}

/** The provider to whose page for cards and invoices the account leads; null where there is none. */
export const portalProvider = (view: View): string | null => {
  const user = view.user()
  const key = user?.subscriptions()[0]?.provider ?? user?.payments()[0]?.provider
  if (!user || key === undefined) return null
  return view.provider(key).can().portal && user.customerId(key) !== null ? key : null
}

/** Whether it belongs to another customer than the one whose page the account leads to. */
const isBesides = (s: Subscription, view: View): boolean => {
  const customers = view.provider(s.provider).customers()
  const others = s.provider === portalProvider(view) ? customers.slice(1) : customers
  return others.some((one) => isOf(one, s))
}

/** The other prices of the same group, each with what it costs before it is agreed to. */
const changesOf = (s: Subscription, view: View): PageForm[] =>
  pricesBeside(s, view).map((price) => ({
    url: view.provider(s.provider).can().preview
      ? previewUrl(s)
      : `/membership/change/${encodeURIComponent(s.id)}`,
    fields: { price: price.id },
    label: `Change to ${titleOf(price.id, view.plans())}`,
  }))

const pricesBeside = (s: Subscription, view: View): Price[] =>
  view
    .plans()
    .flatMap((plan: Plan) => plan.prices)
    .filter((price) => {
      const { action, subscription_id } = view.provider(s.provider).subscriptionAction(price.id as never)
      return action === 'change' && subscription_id === s.id
    })
