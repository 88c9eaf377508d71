import { logIn, prove } from '../support/visitor.ts'
import type { Chance } from './chance.ts'
import { heldBy } from './held.ts'
import type { Buyer, Year } from './year-site.ts'

/** One visit of a buyer: they log in, buy, or do something to what they have. */
export async function visit(year: Year, chance: Chance, buyer: Buyer): Promise<void> {
  if (!(await isLoggedIn(buyer))) await comeIn(year, buyer)
  const [living] = heldBy(year, buyer).living
  if (!living || chance.one(0.1)) return buy(year, chance, buyer, living !== undefined)
  const { prices } = year.seller
  const what = chance.weighted({
    change: 30,
    cancel: 20,
    'cancel now': 8,
    resume: 20,
    pause: 6,
    invoice: 8,
    portal: 8,
  })
  const fields: Record<string, string> =
    what === 'change' || what === 'invoice'
      ? { price: chance.of([prices.month, prices.team]) }
      : what === 'cancel now'
        ? { when: 'now' }
        : {}
  const path = what === 'portal' ? 'portal' : `${what.split(' ')[0]}/${living.id}`
  const { json } = await send(year, buyer, what, `/membership/${path}`, fields)
  // Where the buyer has to agree to a change, they do, or not.
  if (what === 'change' && typeof json?.url === 'string' && 'agree' in year.fake && chance.one(0.7))
    await (year.fake as unknown as { agree(id: string): Promise<void> }).agree(living.id)
}

/** Asks the site, since a session is over after thirty days. A buyer who is logged out is a stranger, and may buy twice. */
async function isLoggedIn({ visitor }: Buyer): Promise<boolean> {
  if (!visitor.cookies.has('membership_session')) return false
  const { text } = await visitor.get('/membership/me', { accept: 'application/json' })
  if (!text.includes('"authentication":"none"')) return true
  visitor.cookies.delete('membership_session')
  return false
}

/** By a link in a mail, once there is an account: a purchase makes one where the provider asks for an address. */
export async function comeIn(year: Year, buyer: Buyer): Promise<void> {
  const { m, seller } = year
  const { email } = buyer
  if ((await m.users.findByEmail(email)) === null) {
    if (!seller.asksNoAddress) return
    await m.users.create({ email, verified: true })
  }
  await logIn(year, year.mailbox, buyer.email, buyer.visitor).catch((error: unknown) => {
    buyer.history.push(`could not log in: ${error}`)
  })
}

const cards = ['4242424242424242', '4242424242424242', '4000000000000341', '4000000000000002']

async function buy(year: Year, chance: Chance, buyer: Buyer, isMember: boolean): Promise<void> {
  const { seller, fake, figures } = year
  const { month, team, book } = seller.prices
  const what = isMember ? 'book' : chance.of(['pro', 'pro', 'team', 'book'])
  const at: Record<string, string> = year.handler === seller.key ? {} : { provider: seller.key }
  const { status, json } = await (what === 'book'
    ? send(year, buyer, 'buy once', '/membership/payment', { product: book, ...at })
    : send(year, buyer, 'subscribe', `/membership/subscribe/${what}`, {
        price: what === 'pro' ? month : team,
        ...at,
      }))
  if (status !== 201) return
  const page = seller.checkoutIn(json.url)
  if (page === null) return comeBack(year, buyer, what, json.intent_id)
  buyer.pages.add(page)
  if (chance.one(0.12)) return
  const paid = await fake
    .pay(page, { email: buyer.email, name: buyer.email, card: chance.of(cards) })
    .catch((error: unknown) => ({ refusal: String(error) }))
  figures.count('actions', paid.refusal === null ? 'pay' : 'pay in vain')
  buyer.history.push(`${fake.now().toISOString()} pays ${page}: ${paid.refusal ?? 'paid'}`)
  if (paid.refusal !== null) return
  const way = chance.weighted({ before: 50, after: 25, never: 25 })
  if (way === 'after') await fake.deliver()
  // Where the provider leaves something to do, it waits for somebody who looks.
  if (way !== 'never') await comeBack(year, buyer, what, json.intent_id)
}

/** Returns from the payment page. */
export async function comeBack(year: Year, buyer: Buyer, what: string, intent: string): Promise<void> {
  const path = `/membership/${what === 'book' ? 'payment' : 'subscribe'}/${intent}`
  const { status, text } = await buyer.visitor.get(path, { accept: 'application/json' })
  buyer.history.push(`comes back: ${status} ${text.slice(0, 80)}`)
  await prove(year.m, buyer.visitor)
}

async function send(
  { figures, fake }: Year,
  buyer: Buyer,
  name: string,
  path: string,
  fields: Record<string, string> = {},
) {
  const answer = await buyer.visitor.send(path, fields)
  figures.count('actions', name)
  if (answer.status >= 500) figures.count('failed', `${name} ${answer.json?.code ?? answer.status}`)
  else if (answer.status >= 400) figures.count('refused', String(answer.json?.code ?? answer.status))
  buyer.history.push(
    `${fake.now().toISOString()} ${name} ${path} ${JSON.stringify(fields)}: ${answer.status} ${answer.json?.code ?? ''}`,
  )
  return answer
}

/** What happens to a buyer's payments without the site. */
export function atTheProvider({ fake, figures, ...year }: Year, chance: Chance, buyer: Buyer): void {
  const { living: all, charges } = heldBy({ fake, ...year }, buyer)
  const charge = charges.findLast(
    (charge) => charge.status === 'paid' && charge.refunded < charge.amount && !charge.disputed,
  )
  const [living] = all
  const what = chance.weighted({ refund: 30, partly: 15, dispute: 15, fail: 40 })
  const done = (id: string) => {
    figures.count('world', what)
    buyer.history.push(`${fake.now().toISOString()} at the provider: ${what} ${id}`)
  }
  if (what === 'fail' && living) {
    fake.failNextPayment(living.id)
    done(living.id)
  }
  if (what === 'fail' || !charge) return
  if (what === 'dispute') fake.dispute(charge.id)
  else fake.refund(charge.id, what === 'partly' ? 100 : undefined)
  done(charge.id)
}
