import {
  type Checkout,
  collect,
  type Invoice,
  type PageAnswer,
  type PageAsked,
  type PageHandler,
  type Portal,
  type Price,
  payCheckout,
  type Subscription,
  testCards,
  type World,
} from '../engine/index.ts'
import { actInPortal, afterFlow, portalPrices, portalSubscriptions } from './portal.ts'
import { sessionLines } from './sessions.ts'
import { refusalText } from './shapes-money.ts'

/** Serves the pages for people: a checkout session, the billing portal, and an invoice. */
export function createPages(world: World): PageHandler {
  const checkout = (id: string, { method, form }: PageAsked): PageAnswer | null => {
    const session = world.store.find('checkout', id)
    if (session === undefined) return null
    if (session.status === 'complete') return { redirect: thanksUrl(session.success_url, id) }
    if (session.status === 'expired')
      return { html: checkoutPage(world, session, 'This page has expired.'), status: 410 }
    if (method !== 'POST') return { html: checkoutPage(world, session, null) }
    try {
      const { refusal } = payCheckout(world, id, {
        email: form.get('email') || undefined,
        name: form.get('name') || undefined,
        card: form.get('card') || undefined,
        promotionCode: form.get('promotion_code') || undefined,
      })
      if (refusal === null) return { redirect: thanksUrl(session.success_url, id) }
      return { html: checkoutPage(world, session, refusalText(refusal)), status: 402 }
    } catch (error) {
      // A number that is no card, or an unknown code.
      if (!(error instanceof TypeError)) throw error
      return { html: checkoutPage(world, session, error.message), status: 422 }
    }
  }
  const portal = (id: string, { method, form, path }: PageAsked): PageAnswer | null => {
    const session = world.store.find('portal', id)
    if (session === undefined) return null
    if (method !== 'POST') return { html: portalPage(world, session) }
    actInPortal(world, session, form)
    return { redirect: afterFlow(session) ?? path }
  }
  const invoice = (id: string, { method }: PageAsked): PageAnswer | null => {
    const found = world.store.find('invoice', id)
    if (found?.status === 'open' && method === 'POST') {
      collect(world, id, { isOwnerThere: true })
      return { redirect: `/i/${id}` }
    }
    return found === undefined ? null : { html: invoicePage(found) }
  }

  return async (asked) => {
    const [, kind, second, third] = asked.path.split('/')
    if (kind === 'c' && second === 'pay') return checkout(third ?? '', asked)
    if (kind === 'p' && second === 'session') return portal(third ?? '', asked)
    return kind === 'i' ? invoice(second ?? '', asked) : null
  }
}

// The name in braces stands for the id: https://docs.stripe.com/payments/checkout/custom-success-page
function thanksUrl(url: string | null, id: string): string {
  return (url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', id)
}

/** Renders the payment page: a form that posts to itself. */
export function checkoutPage(world: World, session: Checkout, message: string | null): string {
  const known = world.store.find('customer', session.customer)?.email ?? session.email
  const lines = sessionLines(world, session.id).map(
    ({ quantity, description, amount_total, price }) =>
      `<li>${quantity} × ${safe(description ?? price.id)}: ${money(amount_total, session.currency)}</li>`,
  )
  const code = session.allows_codes ? '<p><label>Code <input name="promotion_code"></label></p>' : ''
  const form = `<form method="post">
<p><label>E-mail <input name="email" type="email" required value="${safe(known ?? '')}"${known ? ' readonly' : ''}></label></p>
<p><label>Name <input name="name" value=""></label></p>
<p><label>Card <input name="card" value="4242424242424242" list="cards"></label></p>
${code}<p><button>Pay ${money(session.total, session.currency)}</button></p>
<datalist id="cards">${Object.keys(testCards)
    .map((card) => `<option value="${card}">`)
    .join('')}</datalist>
</form>`
  return page(
    'Test payment',
    `${alert(message)}<ul>${lines.join('')}</ul>${session.status === 'open' ? form : ''}${link(session.cancel_url, 'Back')}`,
  )
}

/** Renders the customer's own page. */
export function portalPage(world: World, session: Portal): string {
  const subscriptions = portalSubscriptions(world, session).map((portalSubscription) =>
    subscriptionSection(world, portalSubscription),
  )
  return page(
    'Your subscriptions',
    `${subscriptions.join('') || '<p>No subscription.</p>'}
${post('card', `<label>Card <input name="card" value="4242424242424242"></label> <button>Update card</button>`)}
${link(session.return_url, 'Back')}`,
  )
}

/**
 * Renders a hosted invoice. An open one is paid here, with the stored card and the bank's confirmation if
 * needed.
 */
export function invoicePage(invoice: Invoice): string {
  return page(
    `Invoice ${invoice.number ?? invoice.id}`,
    `<p>${safe(invoice.status)}: ${money(invoice.total, invoice.currency)}</p>${
      invoice.status === 'open' ? '<form method="post"><button>Pay</button></form>' : ''
    }`,
  )
}

function subscriptionSection(world: World, knownSubscription: Subscription): string {
  const item = knownSubscription.items[0]
  const subscription = `<input type="hidden" name="subscription" value="${safe(knownSubscription.id)}">`
  const ends =
    knownSubscription.cancel_at === null
      ? ''
      : `, ends ${new Date(knownSubscription.cancel_at * 1000).toISOString().slice(0, 10)}`
  const prices = portalPrices(world, knownSubscription).map(
    (price) => `<option value="${safe(price.id)}">${safe(nameOf(world, price))}</option>`,
  )
  return `<section><h2>${safe(item ? nameOf(world, item.price) : knownSubscription.id)}</h2><p>${safe(knownSubscription.status)}${ends}</p>
${knownSubscription.cancel_at === null ? post('cancel', `${subscription}<button>Cancel plan</button>`) : post('resume', `${subscription}<button>Don’t cancel</button>`)}
${knownSubscription.status === 'paused' ? post('go on', `${subscription}<button>Go on</button>`) : post('pause', `${subscription}<button>Pause</button>`)}
${prices.length === 0 ? '' : post('switch', `${subscription}<select name="price">${prices.join('')}</select> <button>Switch plan</button>`)}
</section>`
}

function nameOf(world: World, price: Price): string {
  return `${world.store.find('product', price.product)?.name ?? price.id}, ${money(price.amount, price.currency)}${price.rhythm ? ` / ${price.rhythm.interval}` : ''}`
}

function post(does: string, inside: string): string {
  return `<form method="post"><input type="hidden" name="do" value="${does}">${inside}</form>`
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${safe(title)}</title><body><h1>${safe(title)}</h1>
${body}
<p><small>A test double: no money moves.</small></p></body></html>`
}

function alert(message: string | null): string {
  return message === null ? '' : `<p role="alert">${safe(message)}</p>`
}

// Only http(s) addresses are linked, because a script address would run here.
function link(url: string | null | unknown, text: string): string {
  return typeof url === 'string' && /^https?:\/\//.test(url)
    ? `<p><a href="${safe(url)}">${text}</a></p>`
    : ''
}

function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(amount / 10 ** digits)
}

function safe(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
