import type { Chance } from './chance.ts'
import { cardOf, formToken, type Person } from './person.ts'
import { planOf } from './plan.ts'
import { act, given, newBrowser, note, type World } from './world.ts'

type Browser = Person['browsers'][number]

/** Somebody goes to the payment page for a price, pays or not, and comes back or not. */
export async function buy(
  world: World,
  person: Person,
  chance: Chance,
  { price, browser = person.browsers[0]! }: { price: string; browser?: Browser },
): Promise<void> {
  const pages = await begin(world, person, chance, { price, browser })
  for (const page of pages) await atPaymentPage(world, person, chance, { page, browser })
}

async function begin(
  world: World,
  person: Person,
  chance: Chance,
  { price, browser }: { price: string; browser: Browser },
): Promise<Set<string>> {
  const isBook = price === 'price_book'
  const form = (wanted: string) => ({
    name: isBook ? 'buy once' : 'subscribe',
    path: isBook ? '/membership/payment' : `/membership/subscribe/${planOf[wanted]}`,
    fields: {
      redirect: '/account',
      ...(isBook ? { product: wanted } : { price: wanted }),
      ...(!isBook && chance.one(0.2) ? { quantity: String(chance.number(2, 5)) } : {}),
    },
  })
  const once = form(price)
  const forms = chance.one(0.06)
    ? [once, once]
    : !isBook && chance.one(0.06)
      ? [once, form(price === 'price_team' ? 'price_month' : 'price_team')]
      : [once]
  if (forms.length > 1) note(world, person, forms[0] === forms[1] ? 'double-clicks' : 'has two tabs')
  // Whoever clicks has a page before them.
  await formToken(browser).catch(() => {})
  const answers = await Promise.all(forms.map((form) => act(world, person, form, browser)))
  const pages = new Set<string>()
  for (const { status, body } of answers) {
    if (status !== 201 || typeof body.url !== 'string') continue
    pages.add(body.url)
    given(world, person, { url: body.url, browser })
  }
  return pages
}

const cards = { '4242424242424242': 80, '4000000000000341': 10, '4000000000000002': 10 }

async function atPaymentPage(
  world: World,
  person: Person,
  chance: Chance,
  { page, browser }: { page: string; browser: Browser },
): Promise<void> {
  const { figures } = world
  if (!page.includes('/c/pay/')) return
  if (chance.one(0.12)) {
    figures.count('actions', 'abandon a payment page')
    note(world, person, `leaves ${page}`)
    return
  }
  for (let tries = 0; tries < 2; tries++) {
    const card = tries === 0 ? chance.weighted(cards) : '4242424242424242'
    const answer = await fetch(page, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email: person.email, name: person.name, card: cardOf(person, card) }),
    })
    await answer.arrayBuffer()
    figures.count(
      'actions',
      answer.status === 303 ? 'pay' : answer.status === 402 ? 'card declined' : 'too late',
    )
    note(world, person, `pays ${page.split('/').at(-1)} with …${card.slice(-4)} → ${answer.status}`)
    if (answer.status === 303) {
      await comeBack(world, person, chance, { url: answer.headers.get('location') ?? '/', browser })
      return
    }
    if (answer.status !== 402 || chance.one(0.5)) return
  }
}

/** Before the webhook, after it, or never; now and then in another browser than the one that paid. */
async function comeBack(
  world: World,
  person: Person,
  chance: Chance,
  { url, browser }: { url: string; browser: Browser },
): Promise<void> {
  const { figures, site } = world
  const way = chance.weighted({ before: 50, after: 25, never: 20, elsewhere: 5 })
  figures.count('actions', `come back: ${way}`)
  if (way === 'never') return
  if (way === 'after') await site.fake.deliver()
  const at = way === 'elsewhere' ? newBrowser(world, person) : browser
  const { pathname } = new URL(url)
  const answer = await at.request(pathname, { headers: { accept: 'application/json' } }).catch(() => null)
  const text = (await answer?.text()) ?? ''
  if (at.cookies.has('membership_session') && !person.inside.has(at))
    person.inside.set(at, world.site.fake.now().getTime())
  note(world, person, `comes back ${way} to ${pathname} → ${answer?.status} ${text.slice(0, 60)}`)
}
