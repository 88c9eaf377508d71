import type { Context } from 'koa'
import {
  isEnded,
  isPaused,
  type Plan,
  type Prospect,
  type SubscriptionData,
  type Terms,
  toCost,
} from '../../core/dto/index.ts'
import { isMembershipError } from '../../core/errors.ts'
import type { FormAnswer, FormRequest } from '../../core/http/form-router.ts'
import { localPath, wantsJson } from '../../core/http/forms.ts'
import type { ProviderKey } from '../../core/register.ts'
import { chargeIn, costIn, taxedIn, titleIn, type Voice } from '../../core/words/index.ts'
import type { Flash, PageTools, User, View } from '../members/index.ts'
import type { ActionDescription, Actions, DescribeInput } from './actions.ts'
import type { ChangeInput } from './changing.ts'
import { leavingReasons } from './leaving-reasons.ts'
import { bindingFacts, createsDuty, noShopLaw, type ShopLaw } from './order-words.ts'

/** A labelled fact. A sum stands beside the button, the rest on the left. */
export interface PreviewFact {
  readonly label: string
  readonly text: string
  readonly kind?: 'today' | 'then' | 'law'
}

/** A page that shows an action in words: labelled facts, and a button that names the action. */
export interface PreviewWords {
  readonly heading: string
  readonly facts: readonly PreviewFact[]
  readonly button: string
}

interface Speaking {
  readonly voice: Voice
  readonly plans: readonly Plan[]
  readonly now: Date
  readonly law?: ShopLaw
}

/**
 * Words a preview for the member who confirms it. Where the shop's law requires it, the button names the duty to pay,
 * with renewal and notice beside it.
 */
export function previewWords(p: Prospect, { voice, plans, now, law = noShopLaw }: Speaking): PreviewWords {
  const about = speaking(p, { voice, plans, now, law })
  const isOrder = law.isInEurope && createsDuty(p)
  const facts = [
    { label: voice.say('change.from'), text: about.terms(p.from) },
    ...(p.action === 'change' && p.to ? [{ label: voice.say('change.to'), text: about.terms(p.to) }] : []),
    ...(p.action === 'change' ? [{ label: voice.say('change.when'), text: about.when() }] : []),
    ...(p.action === 'cancel' ? [{ label: voice.say('change.ends'), text: about.when() }] : []),
    { label: voice.say('change.today'), text: about.today(), ...kindOf('today', p) },
    ...(p.credit > 0
      ? [
          {
            label: voice.say('change.credit'),
            text: voice.say('change.credit_counts', { amount: about.money(p.credit) }),
          },
        ]
      : []),
    { label: voice.say('change.next'), text: about.next(), ...kindOf('then', p) },
    ...(p.percent_off === undefined
      ? []
      : [
          {
            label: voice.say('change.discount'),
            text: voice.say('change.discount_once', { percent: p.percent_off }),
          },
        ]),
    ...about.access().map((text) => ({ label: voice.say('change.access'), text })),
    ...(isOrder && p.to?.cost ? bindingFacts(p.to.cost, voice) : []),
  ]
  return {
    heading: voice.say(`change.heading.${p.action}`, { title: about.title(p.to ?? p.from) }),
    facts,
    button: isOrder ? voice.say('order.button') : about.button(),
  }
}

/** Sums stand beside the button, but for a cancellation: what matters there is the last day. */
function kindOf(kind: 'today' | 'then', { action }: Prospect): Pick<PreviewFact, 'kind'> {
  return action === 'cancel' ? {} : { kind }
}

function speaking(p: Prospect, { voice, plans, now, law = noShopLaw }: Speaking) {
  const day = (at: string) => voice.day(at, now)
  const money = (amount: number) =>
    voice.amount({ amount, currency: p.currency ?? p.from.cost?.currency ?? 'EUR', provider: p.provider })
  const title = ({ price_id, quantity }: Terms) => titleIn(voice, price_id, plans, quantity)
  const terms = (item: Terms): string => {
    const cost = costIn(voice, item.cost, p.provider)
    return cost === null
      ? title(item)
      : voice.say('change.terms', { title: title(item), cost: taxedIn(voice, cost, law.tax) })
  }
  const when = () => (p.at === null ? voice.say('change.at_once') : day(p.at))

  const today = (): string => {
    if (p.amount_due === null) return voice.say('change.provider_counts')
    const isKnown = p.amount_due > 0 || (p.currency ?? p.from.cost?.currency ?? null) !== null
    return isKnown ? money(p.amount_due) : voice.say('change.nothing')
  }

  const next = (): string => {
    if (p.next_payment === null) return voice.say(p.is_owed ? 'change.next_owed' : 'change.next_none')
    const { at, amount } = p.next_payment
    if (at === null) return amount === null ? '–' : voice.say('change.next_period', { amount: money(amount) })
    if (amount === 0 && p.credit > 0) return voice.say('change.next_credit', { date: day(at) })
    return amount === null
      ? voice.say('change.next_unknown', { date: day(at) })
      : voice.say('change.next_sum', { amount: money(amount), date: day(at) })
  }

  const access = (): string[] => {
    const kept = (at: string) => voice.say('change.access_until', { title: title(p.from), date: day(at) })
    if (p.action === 'pause')
      return [
        p.access_until === null
          ? voice.say('change.access_stays')
          : alsoSeats(voice.say('change.pause_closes', { date: day(p.access_until) }), 'change.seats_pause'),
      ]
    if (p.access_until !== null && p.is_owed && p.at !== null && p.at > p.access_until)
      return [
        voice.say('change.access_owed', { title: title(p.from), date: day(p.access_until), end: day(p.at) }),
      ]
    if (p.action !== 'cancel') return p.access_until === null ? [] : [kept(p.access_until)]
    if (p.access_until !== null) return [alsoSeats(kept(p.access_until), 'change.seats_end')]
    if (p.at !== null) return [voice.say('change.access_closed')]
    return [alsoSeats(voice.say('change.access_ends'), 'change.seats_end')]
  }

  /** Adds to the buyer's own access that of the people with a seat, who see no page about it. */
  const alsoSeats = (text: string, key: 'change.seats_pause' | 'change.seats_end'): string => {
    const plan = plans.find(({ prices }) => prices.some(({ id }) => id === p.from.price_id))
    const isShared = typeof plan?.seats === 'number' ? plan.seats > 1 : p.from.quantity > 1
    return plan?.seats !== undefined && isShared ? `${text} ${voice.say(key)}` : text
  }

  const button = (): string => {
    const name = { title: title(p.to ?? p.from) }
    switch (p.action) {
      case 'keep':
        return voice.say('change.button.keep', name)
      case 'cancel':
        if (p.next_payment === null && p.at !== null)
          return voice.say('change.button.cancel_on', { date: day(p.at) })
        return voice.say(p.paid_until === null ? 'change.button.cancel' : 'change.button.cancel_now')
      case 'pause':
        return voice.say('change.button.pause', { from: day(p.at ?? ''), until: day(p.resumes_at ?? '') })
      case 'discount':
        return voice.say('change.button.discount', { percent: p.percent_off ?? 0 })
      case 'resume':
        if (p.amount_due === null) return voice.say('change.button.resume_unknown')
        return p.amount_due === 0
          ? voice.say('change.button.resume', name)
          : voice.say('change.button.pay_and_resume', { amount: money(p.amount_due) })
      case 'change':
        if (p.at !== null) return voice.say('change.button.change_on', { ...name, date: day(p.at) })
        if (p.amount_due === null) return voice.say('change.button.change_unknown', name)
        return p.amount_due === 0
          ? voice.say('change.button.change', name)
          : voice.say('change.button.pay_and_change', { ...name, amount: money(p.amount_due) })
      default:
        throw new TypeError(`unhandled ${p.action satisfies never}`)
    }
  }

  return { title, terms, money, when, today, next, access, button }
}

export interface PreviewDeps {
  readonly page: PageTools
  readonly offer: string | null
  readonly actions: Pick<Actions, 'lookAt'>
  readonly law: ShopLaw
  readonly now: () => Date
}

export interface PreviewPages {
  /** Shows the preview. `isChanged`: it differs from the one shown before. */
  show(request: FormRequest, description: ActionDescription, more?: { isChanged?: boolean }): Promise<void>
  /** Runs the action. If the preview changed meanwhile, people see the new preview. */
  unlessChanged(request: FormRequest, act: () => Promise<FormAnswer>): Promise<FormAnswer>
  /** Says on the next page what was done. */
  say(ctx: Context, input: DescribeInput, now: SubscriptionData): Promise<void>
}

/** The pages that preview an action, and the message that confirms it afterwards. */
export function createPreviewPages(deps: PreviewDeps): PreviewPages {
  const show = async (
    request: FormRequest,
    { prospect, shown }: ActionDescription,
    { isChanged = false }: { isChanged?: boolean } = {},
  ): Promise<void> => {
    const { ctx } = request
    const verb = prospect.action === 'keep' ? 'change' : prospect.action
    const view = await deps.page.viewOf(ctx)
    ctx.type = 'html'
    const voice = await deps.page.voiceOf(ctx)
    const { provider, currency, proration_at, lines } = prospect
    ctx.body = deps.page.render('checkout/order', {
      ...(await deps.page.pageData(ctx)),
      words: previewWords(prospect, { voice, plans: view.plans(), now: deps.now(), law: deps.law }),
      lines: lines.map(({ amount, ...line }) => ({
        text: lineIn(voice, { ...line, amount }, view.plans()),
        amount: voice.amount({ amount, currency: currency ?? 'EUR', provider }),
      })),
      offer:
        prospect.action === 'cancel'
          ? await offerOf(view, prospect, { wanted: deps.offer, voice, lookAt: deps.actions.lookAt })
          : null,
      reasons: prospect.action === 'cancel' ? reasonsIn(voice, request.text('reason')) : [],
      is_changed: isChanged,
      shown,
      action: `/membership/${verb}/${encodeURIComponent(prospect.subscription_id)}`,
      fields: { ...fieldsOf(request), ...(proration_at === null ? {} : { proration_at }) },
      redirect: localPath(request.fields.redirect, deps.page.accountPath),
    })
  }

  const unlessChanged = async (request: FormRequest, act: () => Promise<FormAnswer>): Promise<FormAnswer> => {
    try {
      return await act()
    } catch (error) {
      if (!isMembershipError(error, 'ERR_SHOWN_CHANGED') || wantsJson(request.ctx)) throw error
      const { prospect, shown } = error.extensions as unknown as ActionDescription
      await show(request, { prospect, shown }, { isChanged: true })
      request.ctx.status = error.status
      return { json: null, redirect: null }
    }
  }

  const say = (ctx: Context, input: DescribeInput, now: SubscriptionData): Promise<void> =>
    deps.page.say(ctx, flashOf(input, now, deps.now()))

  return { show, unlessChanged, say }
}

const inputFields = [
  ...(['plan', 'price', 'quantity', 'proration', 'when', 'until'] as const),
  ...(['amount', 'own_amount'] as const),
]

/** The form's fields that name what is requested. An amount counts only for a price that lets people choose it. */
function fieldsOf(request: FormRequest): Record<string, string> {
  return Object.fromEntries(
    inputFields.flatMap((name) => {
      const value = request.text(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

/** The path of the preview page, with the form's own fields. */
export function previewPath(action: string, request: FormRequest): string {
  const redirect = localPath(request.fields.redirect, '')
  const query = new URLSearchParams({ ...fieldsOf(request), ...(redirect === '' ? {} : { redirect }) })
  return `/membership/${action}/${encodeURIComponent(request.param('subscription'))}?${query}`
}

/** The offer shown before a cancellation; null where the member cannot have it. */
async function offerOf(
  view: View,
  { provider, subscription_id: id }: Prospect,
  { wanted: offer, voice, lookAt }: { wanted: string | null; voice: Voice; lookAt: Actions['lookAt'] },
) {
  const user = view.user()
  const s = user?.subscriptions().find((subscription) => subscription.id === id)
  if (offer === null || user === null || s === undefined || view.authentication() !== 'verified') return null
  const verb = offer === 'pause' || offer === 'discount' ? offer : 'change'
  const path = `/membership/${verb}/${encodeURIComponent(id)}`
  if (offer === 'discount') {
    const percent = await discountFor({ user, subscriptionId: id }, lookAt)
    if (percent === null) return null
    return {
      text: voice.say('change.offer_discount', { percent }),
      link: voice.say('change.offer_discount_link'),
      url: path,
    }
  }
  if (offer === 'pause') {
    const can =
      view.provider(provider as ProviderKey).can().pause && s.status === 'active' && s.paused_at === null
    if (!can || s.scheduled_change !== null) return null
    return { text: voice.say('change.offer_pause'), link: voice.say('change.offer_pause_link'), url: path }
  }
  const offered = view.provider(provider as ProviderKey).subscriptionAction(offer as never)
  if (offered.action !== 'change' || offered.subscription_id !== id) return null
  const title = titleIn(voice, offer, view.plans())
  const price = view
    .plans()
    .flatMap(({ prices }) => prices)
    .find((item) => item.id === offer)
  const cost = price === undefined ? null : costIn(voice, toCost(price, 1), provider)
  return {
    text: voice.say('change.offer_change', { title, cost: cost ?? '' }),
    link: voice.say('change.offer_change_link'),
    url: `${path}?${new URLSearchParams({ price: offer })}`,
  }
}

/** The percentage that the member may have now, by the rules of the action itself; null where they refuse it. */
async function discountFor(
  target: { user: User; subscriptionId: string },
  lookAt: Actions['lookAt'],
): Promise<number | null> {
  try {
    const { prospect } = await lookAt({ action: 'discount', ...target })
    return prospect.percent_off ?? null
  } catch (error) {
    if (
      isMembershipError(error, 'ERR_ACTION_REFUSED') ||
      isMembershipError(error, 'ERR_PROVIDER_UNSUPPORTED')
    )
      return null
    throw error
  }
}

/** The answers to choose from; a form that comes back keeps the chosen one. */
function reasonsIn(voice: Voice, chosen: string | null) {
  return leavingReasons.map((value) => ({
    value,
    text: voice.say(`change.reasons.${value}`),
    is_chosen: value === chosen,
  }))
}

function flashOf(input: DescribeInput, s: SubscriptionData, now: Date): Flash {
  const about = { subscription: s.id, price: s.price_id ?? undefined }
  const next = s.current_period_end ?? s.trial_ends_at ?? undefined
  switch (input.action) {
    case 'change':
      return changeFlash(input, s, { ...about, at: next })
    case 'cancel':
      return isEnded(s) ? { code: 'ended', ...about } : { code: 'canceled', ...about, at: next }
    case 'pause':
      return { code: 'paused', ...about, at: s.resumes_at ?? undefined }
    case 'discount':
      return { code: 'discounted', ...about, at: s.current_period_end ?? undefined }
    case 'resume':
      return isPaused(s, now) ? { code: 'saved', ...about } : { code: 'resumed', ...about, at: next }
    default:
      throw new TypeError(`unhandled ${input satisfies never}`)
  }
}

function changeFlash({ user, price }: ChangeInput, s: SubscriptionData, about: Omit<Flash, 'code'>): Flash {
  const later = s.scheduled_change ?? null
  if (later !== null)
    return { code: 'changing', ...about, price: later.price_id ?? price ?? undefined, at: later.at }
  const before = user.subscriptions().find(({ id }) => id === s.id)
  const isKept = before?.scheduled_change != null && before.price_id === s.price_id
  return { code: isKept ? 'kept' : 'changed', ...about }
}

// The provider's text is in its own language. Items that the site sells get our own words.
function lineIn(voice: Voice, { text, amount, price_id }: Line, plans: readonly Plan[]): string {
  const price = plans.flatMap(({ prices }) => prices).find(({ id }) => id === price_id)
  if (price === undefined) return text
  const many = amount / (price.amount || Number.NaN)
  if (Number.isInteger(many) && many > 0) return titleIn(voice, price.id, plans, many)
  return chargeIn(
    voice,
    amount < 0 ? 'unused' : amount > 0 ? 'rest' : 'price',
    titleIn(voice, price.id, plans),
  )
}
type Line = Prospect['lines'][number]
