import type { Config } from '../../core/config/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { localPath, localUrl, originOf } from '../../core/http/forms.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import type { PriceId } from '../../core/register.ts'
import { type CheckoutRoom, ownConsent } from '../../memberships/checkout/index.ts'
import type { Sessions } from '../../memberships/members/index.ts'
import { isWebRequest } from '../hosts/contexts.ts'
import type { Asking, AskingRoom, Who } from './asking.ts'

/** A purchase that code begins: for a member, or for whoever sends a request. */
export type CheckoutWish = Who & {
  /** A price's id or look-up key; a plan alone is enough where it has one price. */
  readonly price?: PriceId
  readonly plan?: string
  readonly quantity?: number
  readonly currency?: string
  /** A promotion code as the buyer typed it. */
  readonly code?: string
  /** What your own page had the buyer agree to, word for word: kept with the purchase, and repeated in its mail. */
  readonly consent?: string
  /** Who sells; the provider for new checkouts unless given. */
  readonly provider?: string
  /** The path on this site where the buyer goes on afterwards; `/` unless given. */
  readonly redirect?: string
}

/** A purchase that has begun. */
export interface StartedCheckout {
  /** Where the buyer is sent to pay. */
  readonly url: string
  readonly intent_id: string
  /** What the answer to a web-standard request has to set; empty elsewhere. */
  readonly headers: Headers
}

export interface SellingDeps {
  readonly config: Config
  readonly asking: AskingRoom
  readonly checkout: CheckoutRoom
  readonly sessions: Pick<Sessions, 'browserId'>
  readonly plans: () => readonly Plan[]
  readonly publicUrl: () => string
  readonly now: () => Date
  readonly randomId: () => string
}

/** Sells from code, under the rules of the forms. */
export const createSelling = (deps: SellingDeps) => {
  const { config, asking, checkout, sessions, plans, publicUrl, randomId } = deps

  const start = async (wish: CheckoutWish): Promise<StartedCheckout> => {
    const asked = await asking.ask(wish)
    const { user, ctx } = asked
    const site = config.url ?? (ctx === null ? publicUrl() : originOf(ctx))
    const { url, intentId } = await checkout.begin({
      ...wanted(wish, plans()),
      consent: wish.consent === undefined ? null : ownConsent(wish.consent, deps.now()),
      user,
      redirect: localPath(wish.redirect, '/'),
      browser: fingerprint(ctx === null ? randomId() : browserOf(wish, asked)),
      publicUrl: site,
      localUrl: ctx === null ? site : localUrl(ctx.req),
    })
    // The sandbox's page lies on this very site; a mail needs the whole address.
    return { url: new URL(url, site).href, intent_id: intentId, headers: asked.headers() }
  }

  // The browser that began a purchase is logged in by it; its cookie must have a way out.
  const browserOf = (wish: Who, { user, ctx }: Asking): string => {
    const id = sessions.browserId(ctx!)
    if (user !== null || hasAnswer(wish) || ctx!.get('cookie').includes(id)) return id
    throw new MembershipError('ERR_USAGE', 'A visitor who is not logged in needs a cookie to buy.', {
      action: 'Give the answer, too: m.checkout.start({ request, response, … }).',
    })
  }
  return { start }
}

// Koa's context and Express's request know theirs; of a web-standard request the headers are handed over.
const hasAnswer = (who: Who): boolean =>
  who.request !== undefined &&
  (who.response !== undefined || 'res' in who.request || isWebRequest(who.request))

const wanted = (
  { price, plan, quantity, currency, code, provider }: Omit<CheckoutWish, keyof Who>,
  plans: readonly Plan[],
) => {
  const named = plans
    .filter(({ id }) => plan === undefined || id === plan)
    .flatMap(({ prices }) => prices)
    .filter((one) => price === undefined || one.id === price || one.lookup_key === price)
  const isOnce = named.length > 0 && named.every(({ type }) => type === 'one_time')
  return {
    mode: isOnce ? ('payment' as const) : ('subscription' as const),
    price: price ?? null,
    plan: plan ?? null,
    quantity: quantity ?? null,
    currency: currency?.toUpperCase() ?? null,
    code: code ?? null,
    provider: provider ?? null,
  }
}

export type Selling = ReturnType<typeof createSelling>
