import test, { type ExecutionContext } from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, logIn, type Visitor } from '../../support/visitor.ts'

function planOf(price: string): string {
  return price === 'price_team' ? 'team' : 'pro'
}

/**
 * A member who tries things, and a book-keeper who reads nothing but Stripe's invoices: what is open was paid
 * for that moment, and no moment was paid twice.
 */
async function openMember(t: ExecutionContext, path: string, options = {}) {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.pause': { max_days: 60 },
    'membership.gates.past_due': 0,
    ...options,
  })
  const { fake, m } = opened
  const bought = await buy(opened, 'eve@example.com', { path })
  const { id } = bought

  /** Lines of paid invoices that cover this second, what was given back taken away. */
  const covered = (plan: string | null): number => {
    const now = fake.now().getTime() / 1000
    return fake.objects
      .list('invoice')
      .filter(({ status }) => status === 'paid')
      .flatMap(({ lines }) => lines.data)
      .filter(({ amount, period }) => amount !== 0 && period.start <= now && now < period.end)
      .filter(({ pricing }) => plan === null || planOf(pricing!.price_details.price) === plan)
      .reduce((sum, { amount }) => sum + Math.sign(amount), 0)
  }
  const check = async (told: string): Promise<void> => {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
    const user = (await m.users.findByEmail('eve@example.com'))!
    for (const plan of ['pro', 'team'])
      if (user.hasGate(plan as never)) t.true(covered(plan) >= 1, `${told}: ${plan} was not paid`)
    t.true(covered(null) <= 1, `${told}: paid twice`)
  }
  const send = async (
    path: string,
    fields: Record<string, string> = {},
    visitor: Visitor = bought.visitor,
  ) => {
    await fake.advance({ ms: 5000 })
    return visitor.send(`/membership/${path}/${id}`, fields)
  }
  const days = async (count: number, told: string) => {
    for (let day = 0; day < count; day += 5) {
      await fake.advance({ days: 5 })
      await check(`${told}, day ${day + 5}`)
    }
  }
  return { opened, id, check, send, days, covered }
}

const actions = {
  pause: {},
  change: { plan: 'team' },
  cancel: {},
} as const
type AuditEntry = keyof typeof actions
const orders: AuditEntry[][] = [
  ['pause', 'change', 'cancel'],
  ['pause', 'cancel', 'change'],
  ['change', 'pause', 'cancel'],
  ['change', 'cancel', 'pause'],
  ['cancel', 'pause', 'change'],
  ['cancel', 'change', 'pause'],
]
for (const order of orders)
  test.serial(`${order.join(', ')}, each undone: open access was paid, and once`, async (t) => {
    const { check, send, days } = await openMember(t, '/membership/subscribe/pro')
    const told: string[] = []
    for (const action of [...order, 'resume', ...order] as (AuditEntry | 'resume')[]) {
      const answer = await send(action, action === 'resume' ? {} : actions[action])
      t.true(answer.status === 200 || answer.status === 409, answer.text)
      told.push(`${action} ${answer.status}`)
      await check(told.join(', '))
      // Every second time it is thought better of.
      if (told.length > 4) await send('resume')
      await check(`${told.join(', ')}, resume`)
    }
    await days(65, told.join(', '))
  })

test.serial('a preview is valid for an hour and for its moment, whatever is sent with it', async (t) => {
  const { opened, check, send, covered } = await openMember(t, '/membership/subscribe/pro')
  await opened.fake.advance({ days: 10 })
  const { proration_at } = (await send('invoice', { plan: 'team' })).json
  for (const moment of ['2026-02-15T11:59:00Z', '2026-01-15T12:00:10Z', '2036-01-01T00:00:00Z'])
    t.is((await send('change', { plan: 'team', proration_at: moment })).json.code, 'ERR_ACTION_REFUSED')
  t.is((await send('change', { plan: 'team', proration_at })).status, 200)
  await check('changed')
  const paid = covered('team')
  t.is((await send('change', { plan: 'team', proration_at })).status, 200)
  t.is((await send('change', { quantity: '2', proration_at })).status, 200)
  await check('more of it')
  t.is(covered('team'), paid)
  await opened.fake.advance({ days: 1 })
  t.is((await send('change', { quantity: '3', proration_at })).json.code, 'ERR_ACTION_REFUSED')
})

test.serial('of two tabs with two plans at once only one is paid', async (t) => {
  const { check, send, days } = await openMember(t, '/membership/subscribe/pro')
  await days(5, 'before')
  const answers = await Promise.all([
    send('change', { plan: 'team' }),
    send('change', { price: 'price_year' }),
  ])
  for (const { status, text } of answers) t.true(status === 200 || status === 409, text)
  await check('both')
  await days(40, 'both')
})

test.serial(
  'nothing is changed or paused while a payment is open, and the dearer plan stays closed',
  async (t) => {
    const mailbox = createMailbox()
    const { opened, check, send, covered } = await openMember(t, '/membership/subscribe/pro', mailbox.options)
    const { fake } = opened
    fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
    await fake.advance({ days: 32 })
    await check('failed')
    const visitor = await logIn(opened, mailbox, 'eve@example.com')
    for (const [path, fields] of [
      ['change', { plan: 'team' }],
      ['change', { quantity: '2' }],
      ['pause', {}],
    ] as const)
      t.is((await send(path, fields, visitor)).json.code, 'ERR_ACTION_REFUSED', path)
    await check('refused')
    t.is(covered(null), 0)
  },
)
