import type { FormRequest } from '../../core/http/form-router.ts'
import { localPath, wantsJson } from '../../core/http/forms.ts'
import type { PageTools } from '../members/index.ts'
import type { CheckoutService } from './checkout.ts'
import { amountFields } from './chosen-amount.ts'
import { type Consent, consentFor, nothingAsked } from './consent.ts'
import { type OrderShown, offerWords, shownOfOffer } from './offer-shown.ts'
import type { ShopLaw, ShownGift } from './order-words.ts'
import type { Asked } from './request.ts'

export interface OrderPagesDeps {
  readonly checkout: Pick<CheckoutService, 'lookAt'>
  readonly page: PageTools
  readonly law: ShopLaw
  /** The company that sells a provider's purchases in its own name; null where the site sells. */
  readonly sellerOf: (provider: string) => string | null
  /** True if the order page has a field for a discount code. */
  readonly hasCodeField?: boolean
  readonly now: () => Date
}

/** A field for a discount code, with what was typed; `problem`: the provider refused it. */
interface CodeField {
  readonly typed: string
  readonly problem: string | null
}

export interface OrderPages {
  /** True where a buyer's consent is asked for on this page, as the law of the European Union has it. */
  readonly isRequired: boolean
  /** Shows the order. `isChanged`: it differs from the one shown before. `isWrongCode`: the provider refused its code. */
  show(
    request: FormRequest,
    order: OrderShown,
    more?: { isChanged?: boolean; isWrongCode?: boolean; ordered?: OrderedAt },
  ): Promise<void>
  /** The consent from a form that showed everything; null where the page has to be shown first. */
  agreed(request: FormRequest, input: Asked, more?: { isGift?: boolean }): Promise<Consent | null>
}

/**
 * The order page: the product, its price, its commitment, and a button that names the duty to pay where the shop's law
 * requires it.
 */
export function createOrderPages(deps: OrderPagesDeps): OrderPages {
  const { checkout, law, sellerOf, hasCodeField, now, page } = deps

  const show = async (
    request: FormRequest,
    order: OrderShown,
    {
      isChanged = false,
      isWrongCode = false,
      ordered,
    }: { isChanged?: boolean; isWrongCode?: boolean; ordered?: OrderedAt } = {},
  ): Promise<void> => {
    const { ctx } = request
    const [view, voice] = [await page.viewOf(ctx), await page.voiceOf(ctx)]
    const consent = law.isInEurope ? consentFor(order, voice) : null
    const { price, plan } = order
    const shown = shownOfOffer(price, order.trial_days)
    if (wantsJson(ctx)) {
      const { trial_days, quantity, starts_at } = order
      ctx.body = { price, plan: plan.id, trial_days, quantity, starts_at, shown, consent }
      return
    }
    const isOnce = price.type === 'one_time'
    const code: CodeField | null =
      ordered === undefined && (hasCodeField || isWrongCode)
        ? {
            typed: request.text('code', 100) ?? '',
            problem: isWrongCode ? voice.say('order.wrong_code') : null,
          }
        : null
    ctx.type = 'html'
    ctx.body = page.render('checkout/order', {
      ...(await page.pageData(ctx)),
      words: offerWords(code === null ? order : { ...order, code: null }, {
        voice,
        plans: view.plans(),
        now: now(),
        law,
        seller: sellerOf(price.provider),
        gift: ordered?.gift ?? null,
      }),
      back: voice.say('order.back'),
      lines: [],
      offer: null,
      is_changed: isChanged,
      shown,
      consent,
      // Only the buyer's own tick comes back: a link must not tick for anybody.
      is_agreed: isWrongCode && consent !== null && request.text('consent') === consent.version,
      code,
      action:
        ordered?.action ??
        (isOnce ? '/membership/payment' : `/membership/subscribe/${encodeURIComponent(plan.id)}`),
      fields: {
        ...fieldsOf(request, code === null ? names : namesWithoutCode),
        ...(price.choose === undefined ? {} : amountFields(price.amount)),
        ...(ordered?.fields ?? { [isOnce ? 'product' : 'price']: price.id }),
        ...(law.isInEurope && consent === null ? { consent: nothingAsked } : {}),
      },
      redirect: localPath(request.fields.redirect, '/'),
    })
  }

  const agreed = async (
    request: FormRequest,
    input: Asked,
    { isGift = false }: { isGift?: boolean } = {},
  ): Promise<Consent | null> => {
    const order = await checkout.lookAt(input)
    if (request.text('shown') === null) return null
    const consentText = request.text('consent')
    const voice = await page.voiceOf(request.ctx)
    const asked = consentFor(order, voice)
    if (consentText !== (asked?.version ?? nothingAsked)) return null
    const plans = (await page.viewOf(request.ctx)).plans()
    // Text that a buyer typed must not reach a mail.
    const seller = sellerOf(order.price.provider)
    const { facts } = offerWords(
      { ...order, code: null },
      { voice, plans, now: now(), law, seller, gift: isGift ? 'untold' : null },
    )
    const { supply, version, text } = asked ?? { supply: 'other' as const, version: nothingAsked, text: '' }
    const shown = facts.map(({ label, text: told }) => ({ label, text: told }))
    return { supply, version, text, facts: shown, language: voice.lang, at: now().toISOString() }
  }

  return { isRequired: law.isInEurope, show, agreed }
}

/** The form of another route that orders a price, in place of the usual one. */
export interface OrderedAt {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** The gift as its buyer typed it; absent for a purchase for oneself. */
  readonly gift?: ShownGift
}

const namesWithoutCode = ['quantity', 'provider', 'currency'] as const
const names = [...namesWithoutCode, 'code'] as const

/** The form's fields besides the price and its amount. */
function fieldsOf(request: FormRequest, which: readonly (typeof names)[number][]): Record<string, string> {
  return Object.fromEntries(
    which.flatMap((name) => {
      const value = request.text(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

/** The path of the order page. */
export function orderPath(
  input: Partial<
    Pick<Asked, 'mode' | 'plan' | 'price' | 'quantity' | 'provider' | 'currency' | 'code' | 'amount'>
  >,
  redirect: string,
): string {
  const { mode, plan, price, quantity, provider, currency, code, amount } = input
  const named = mode === 'payment' ? { product: price } : { plan, price }
  const query = Object.entries({
    ...named,
    quantity,
    provider,
    currency,
    code,
    ...amountFields(amount),
    redirect,
  })
  const given = query.flatMap(([name, value]) => (value == null ? [] : [[name, String(value)] as const]))
  return `/membership/order?${new URLSearchParams(Object.fromEntries(given))}`
}
