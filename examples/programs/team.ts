import { createMembership, definePlans } from 'membership'
import { createFakeServer } from 'membership/testkit'

const site = 'https://site.example'
type Visit = (request: Request) => Promise<Response>

/** Opens the link of an invitation as somebody, and sends the form on its page. */
async function join(visit: Visit, link: string, email: string): Promise<void> {
  const headers = new Headers({ 'x-user': email, origin: site, accept: 'text/html' })
  const page = await visit(new Request(link, { headers }))
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const cookies = page.headers.getSetCookie().map((line) => line.split(';')[0])
  headers.set('cookie', cookies.join('; '))
  await visit(new Request(link, { method: 'POST', headers, body: new URLSearchParams({ token }) }))
}

/** A buyer takes three seats and invites a colleague, who joins; later the buyer takes the seat back. */
export async function run(): Promise<string> {
  const fake = await createFakeServer('stripe')
  fake.addPrice({ id: 'price_team', unit_amount: 500, currency: 'eur', recurring: { interval: 'month' } })
  const inbox: string[] = []
  const m = await createMembership({
    install: false,
    root: false,
    now: fake.now,
    'membership.url': site,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe': { secret: fake.secret, api_base: fake.url, webhook: 'whsec_test' },
    'membership.plans': definePlans({
      team: { seats: 'quantity', quantity: { min: 2, max: 50 }, prices: ['price_team'] },
    }),
    identify: ({ headers }) => {
      const email = headers.get('x-user')
      return email === null ? null : { email }
    },
    mails: { transport: async ({ to, text }) => void inbox.push(`${to}\n${text}`) },
  })
  fake.sendTo({ url: `${site}/membership/webhooks/stripe`, secret: 'whsec_test', fetch: m.fetch })
  try {
    const bob = await m.users.create({ email: 'bob@example.com', verified: true })
    const { url } = await m.checkout.start({ member: bob.id, plan: 'team', quantity: 3 })
    await fake.pay(url)
    await fake.deliver()

    const { managed } = await m.teams.of(bob.id)
    const subscriptionId = managed[0]?.subscription_id ?? ''
    const seat = await m.teams.invite({ subscriptionId, email: 'cleo@example.com' })
    await m.runDueJobs() // sends the mail
    const link = /https:\S+\/join\/\S+/.exec(inbox.join())?.[0] ?? ''
    await join(m.fetch, link, 'cleo@example.com')
    const reason = (await m.users.findByEmail('cleo@example.com'))?.explain('team').reason

    await m.teams.remove({ subscriptionId, seatId: seat.id })
    const { seats, free } = await m.teams.find(subscriptionId)
    const cleo = await m.users.findByEmail('cleo@example.com')
    return `${reason}, then ${cleo?.hasGate('team')}, ${free} of ${seats} seats free`
  } finally {
    await m.close()
    await fake.close()
  }
}
export const expected = 'seat, then false, 2 of 3 seats free'
