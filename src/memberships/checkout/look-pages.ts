import type { Context } from 'koa'
import {
  isEnded,
  isPaused,
  type Plan,
  type Prospect,
  type SubscriptionData,
  toCost,
} from '../../core/dto/index.ts'
import { isMembershipError } from '../../core/errors.ts'
import type { FormAnswer, FormRequest } from '../../core/http/form-router.ts'
import { localPath, wantsJson } from '../../core/http/forms.ts'
import type { Render } from '../../core/pages/index.ts'
import type { ProviderKey } from '../../core/register.ts'
import { chargeIn, costIn, titleIn, type Voice } from '../../core/words/index.ts'
import type { Said, Saying, View } from '../members/index.ts'
import type { Looked, LookWish } from './actions.ts'
import type { ChangeWish } from './changing.ts'
import { lookWords } from './look-words.ts'
import type { ShopLaw } from './order-words.ts'

export interface LookPagesDeps {
  /** The account page, where a form leads that names no other place. */
  readonly accountPath: string
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly render: Render
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  /** The voice for whoever asks. */
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  readonly say: Saying['say']
  readonly offer: string | null
  readonly law: ShopLaw
  readonly now: () => Date
}

/** The pages that show what a deed does before it is done, and the line that says afterwards that it was. */
export const createLookPages = (deps: LookPagesDeps) => {
  /** Shows what would happen; `isChanged`: it is no longer what was shown. */
  const show = async (
    request: FormRequest,
    { prospect, shown }: Looked,
    { isChanged = false }: { isChanged?: boolean } = {},
  ): Promise<void> => {
    const { ctx } = request
    const verb = prospect.deed === 'keep' ? 'change' : prospect.deed
    const view = await deps.viewOf(ctx)
    ctx.type = 'html'
    const voice = await deps.voiceOf(ctx)
    const { provider, currency, proration_at, lines } = prospect
    ctx.body = deps.render('checkout/look', {
      ...(await deps.pageData(ctx)),
      words: lookWords(prospect, { voice, plans: view.plans(), now: deps.now(), law: deps.law }),
      lines: lines.map(({ amount, ...line }) => ({
        text: lineIn(voice, { ...line, amount }, view.plans()),
        amount: voice.amount({ amount, currency: currency ?? 'EUR', provider }),
      })),
      offer: prospect.deed === 'cancel' ? offerOf(view, prospect, { wanted: deps.offer, voice }) : null,
      is_changed: isChanged,
      shown,
      action: `/membership/${verb}/${encodeURIComponent(prospect.subscription_id)}`,
      fields: { ...fieldsOf(request), ...(proration_at === null ? {} : { proration_at }) },
      redirect: localPath(request.fields.redirect, deps.accountPath),
    })
  }

  /** Does it; and where that is no longer what was shown, shows people what it would be now. */
  const unlessChanged = async (request: FormRequest, act: () => Promise<FormAnswer>): Promise<FormAnswer> => {
    try {
      return await act()
    } catch (error) {
      if (!isMembershipError(error, 'ERR_SHOWN_CHANGED') || wantsJson(request.ctx)) throw error
      const { prospect, shown } = error.extensions as unknown as Looked
      await show(request, { prospect, shown }, { isChanged: true })
      request.ctx.status = error.status
      return { json: null, redirect: null }
    }
  }

  const say = (ctx: Context, wish: LookWish, now: SubscriptionData): Promise<void> =>
    deps.say(ctx, saidOf(wish, now, deps.now()))

  return { show, unlessChanged, say }
}

const wishFields = ['plan', 'price', 'quantity', 'proration', 'when', 'until'] as const

/** The fields of a form that say what is asked for, and none that says how much. */
const fieldsOf = (request: FormRequest): Record<string, string> =>
  Object.fromEntries(
    wishFields.flatMap((name) => {
      const value = request.text(name)
      return value === null ? [] : [[name, value]]
    }),
  )

/** The page on which a deed is looked at, with what its form asked for. */
export const lookPath = (deed: string, request: FormRequest): string => {
  const redirect = localPath(request.fields.redirect, '')
  const query = new URLSearchParams({ ...fieldsOf(request), ...(redirect === '' ? {} : { redirect }) })
  return `/membership/${deed}/${encodeURIComponent(request.param('subscription'))}?${query}`
}

/** The page of the offer to whoever is about to cancel; null where it cannot be had. */
const offerOf = (
  view: View,
  { provider, subscription_id: id }: Prospect,
  { wanted: offer, voice }: { wanted: string | null; voice: Voice },
) => {
  const s = view
    .user()
    ?.subscriptions()
    .find((subscription) => subscription.id === id)
  if (offer === null || s === undefined || view.standing() !== 'verified') return null
  const path = `/membership/${offer === 'pause' ? 'pause' : 'change'}/${encodeURIComponent(id)}`
  if (offer === 'pause') {
    const can =
      view.provider(provider as ProviderKey).can().pause && s.status === 'active' && s.paused_at === null
    if (!can || s.scheduled_change !== null) return null
    return { text: voice.say('look.offer_pause'), link: voice.say('look.offer_pause_link'), url: path }
  }
  const { action, subscription_id } = view
    .provider(provider as ProviderKey)
    .subscriptionAction(offer as never)
  if (action !== 'change' || subscription_id !== id) return null
  const title = titleIn(voice, offer, view.plans())
  const price = view
    .plans()
    .flatMap(({ prices }) => prices)
    .find((item) => item.id === offer)
  const cost = price === undefined ? null : costIn(voice, toCost(price, 1), provider)
  return {
    text: voice.say('look.offer_change', { title, cost: cost ?? '' }),
    link: voice.say('look.offer_change_link'),
    url: `${path}?${new URLSearchParams({ price: offer })}`,
  }
}

const saidOf = (wish: LookWish, s: SubscriptionData, now: Date): Said => {
  const about = { subscription: s.id, price: s.price_id ?? undefined }
  const next = s.current_period_end ?? s.trial_ends_at ?? undefined
  switch (wish.deed) {
    case 'change':
      return changeSaid(wish, s, { ...about, at: next })
    case 'cancel':
      return isEnded(s) ? { code: 'ended', ...about } : { code: 'canceled', ...about, at: next }
    case 'pause':
      return { code: 'paused', ...about, at: s.resumes_at ?? undefined }
    case 'resume':
      return isPaused(s, now) ? { code: 'saved', ...about } : { code: 'resumed', ...about, at: next }
    default:
      throw new TypeError(`unhandled ${wish satisfies never}`)
  }
}

const changeSaid = ({ user, price }: ChangeWish, s: SubscriptionData, about: Omit<Said, 'code'>): Said => {
  const later = s.scheduled_change ?? null
  if (later !== null)
    return { code: 'changing', ...about, price: later.price_id ?? price ?? undefined, at: later.at }
  const before = user.subscriptions().find(({ id }) => id === s.id)
  const isKept = before?.scheduled_change != null && before.price_id === s.price_id
  return { code: isKept ? 'kept' : 'changed', ...about }
}

// The provider's own words are in its language: of what the site sells, ours are said.
const lineIn = (voice: Voice, { text, amount, price_id }: Line, plans: readonly Plan[]): string => {
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
