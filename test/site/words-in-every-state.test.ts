import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { parse } from 'yaml'
import { loadConfig } from '../../src/core/config/index.ts'
import {
  type PaymentData,
  paymentStatus,
  type SubscriptionData,
  subscriptionStatuses,
  toPayment,
  toSubscription,
} from '../../src/core/dto/index.ts'
import { refusalReasons } from '../../src/core/errors.ts'
import { createRender } from '../../src/core/pages/index.ts'
import { createWords, errorIn } from '../../src/core/words/index.ts'
import { flashCodes } from '../../src/memberships/members/flash.ts'
import { toUser, toView, type View } from '../../src/memberships/members/index.ts'
import { spokenOf } from '../../src/site/assembly/request-context.ts'
import { accountForPage } from '../../src/site/pages/account-words.ts'
import { featureTable } from '../../src/site/pages/feature-table.ts'
import { limitsForPage } from '../../src/site/pages/limit-words.ts'
import { plansForPage, switchRhythm } from '../../src/site/pages/page-forms.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { kinds, openMails, samples } from '../memberships/mails/support.ts'

// A raw key, such as "shop.label.null", or a value that is no text must reach no page and no mail, whatever a member
// has, whatever a provider cannot do, and in each language.

const root = join(import.meta.dirname, '..', '..')
const now = new Date('2026-11-26T12:00:00.000Z')
const groups = Object.keys(
  parse(readFileSync(join(root, 'templates', 'words', 'en.yml'), 'utf8')) as Record<string, unknown>,
).filter((key) => key !== 'locale' && key !== 'direction')
const key = new RegExp(`\\b(?:${groups.join('|')})\\.[a-z]\\w*`)
const noText = /\bundefined\b|\bnull\b|\[object \w+\]|\bNaN\b|Invalid Date|\bInfinity\b|\{[a-z_]+\}/

/** What a reader would stumble over in a page or a mail. */
function faultsIn(text: string): string[] {
  // Addresses and machine values are read by nobody.
  const read = text
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/\s(?:href|src|action|name|value|id|for|class|datetime|d)="[^"]*"/g, ' ')
  return [key, noText].flatMap((pattern) => {
    const found = pattern.exec(read)
    return found === null ? [] : [read.slice(Math.max(0, found.index - 60), found.index + 60)]
  })
}

const magazine = parse(readFileSync(join(root, 'config', 'magazine.yml'), 'utf8')).membership
const { config } = await loadConfig({
  root: false,
  config: join(root, 'config', 'magazine.yml'),
  env: {},
  definitions,
})
const plans = Object.values(config.providers.sandbox?.plans ?? {})
const names = magazine.features as Record<string, { name: string }>
const priceIds = plans.flatMap(({ prices }) => prices.map(({ id }) => id))
const planIds = plans.map(({ id }) => id)
const words = createWords({ root: false, defaultLanguage: 'en', site: 'Neap', features: names })
const voices = ['en', 'de'].map((language) => words.voiceFor([language]))
const render = createRender(null, true)

const moment = fc.constantFrom(
  null,
  '2026-01-05T09:00:00.000Z',
  '2026-11-20T09:00:00.000Z',
  '2026-12-20T09:00:00.000Z',
  '2027-11-20T09:00:00.000Z',
)
const soon = fc.constantFrom('2026-11-20T09:00:00.000Z', '2026-12-20T09:00:00.000Z')
const price = fc.constantFrom(null, 'price_of_nobody', ...priceIds)
const quantity = fc.constantFrom(null, 1, 3)

const subscription = fc
  .record({
    price_id: price,
    quantity,
    status: fc.constantFrom(...subscriptionStatuses),
    currency: fc.constantFrom(null, 'EUR', 'JPY'),
    unit_amount: fc.constantFrom(null, 0, 500),
    interval: fc.constantFrom(null, 'day' as const, 'week' as const, 'month' as const, 'year' as const),
    interval_count: fc.constantFrom(null, 1, 3),
    started_at: moment,
    trial_ends_at: moment,
    current_period_start: moment,
    current_period_end: moment,
    cancel_at_period_end: fc.boolean(),
    cancel_at: moment,
    canceled_at: moment,
    ended_at: moment,
    paused_at: moment,
    resumes_at: moment,
    scheduled_change: fc.option(fc.record({ price_id: price, quantity, at: soon })),
    past_due_since: moment,
    provider: fc.constantFrom('sandbox', 'stripe'),
  })
  .map(
    (drawn, n = 0): SubscriptionData => ({
      ...drawn,
      id: `sub_${n}`,
      account: '',
      customer_id: 'cus_1',
      product_id: null,
      provider_status: null,
      items: [{ id: null, product_id: null, current_period_start: null, ...pick(drawn) }],
      livemode: false,
      metadata: {},
      updated_at: '2026-11-20T09:00:00.000Z',
    }),
  )
function pick({
  price_id,
  quantity: pieces,
  current_period_end,
}: Pick<SubscriptionData, 'price_id' | 'quantity' | 'current_period_end'>) {
  return {
    price_id,
    quantity: pieces,
    current_period_end,
  }
}

const payment = fc
  .record({
    price_id: price,
    quantity,
    subscription_id: fc.constantFrom(null, 'sub_0'),
    amount: fc.constantFrom(0, 500),
    currency: fc.constantFrom(null, 'EUR'),
    status: fc.constantFrom(...paymentStatus.options),
    paid_at: moment,
    invoice_url: fc.constantFrom(null, 'https://pay.example/1'),
    purpose: fc.constantFrom('one_time' as const, 'recurring' as const, 'unknown' as const),
    provider: fc.constantFrom('sandbox', 'stripe'),
  })
  .map(
    (drawn): PaymentData => ({
      ...drawn,
      id: 'pay_1',
      account: '',
      customer_id: 'cus_1',
      invoice_id: null,
      items: [],
      amount_refunded: 0,
      livemode: false,
      metadata: {},
      updated_at: '2026-11-20T09:00:00.000Z',
    }),
  )

const grant = fc.record({
  id: fc.constant('grant_1'),
  gate: fc.constantFrom('articles', 'a-gate-of-nobody', ...planIds, ...priceIds),
  source: fc.constantFrom('manual', 'gift', 'comp'),
  reason: fc.constant(null),
  starts_at: moment,
  expires_at: moment,
  waits: fc.boolean(),
})

const gift = fc.record({
  status: fc.constantFrom('ordered' as const, 'ready' as const, 'redeemed' as const, 'closed' as const),
  plan: fc.constantFrom('gone', ...planIds),
  months: fc.constantFrom(1, 12),
  to: fc.constantFrom(null, 'ben@post.test'),
  send_at: moment,
  sent_at: moment,
})

const abilities = fc.record({
  swap: fc.boolean(),
  preview: fc.boolean(),
  cancel: fc.boolean(),
  pause: fc.boolean(),
  portal: fc.boolean(),
})

const member = fc.record({
  name: fc.constantFrom(null, 'Ada'),
  email: fc.constantFrom(null, 'ada@post.test'),
  email_verified: fc.boolean(),
  subscriptions: fc.array(subscription, { maxLength: 2 }),
  seats: fc.array(subscription, { maxLength: 1 }),
  payments: fc.array(payment, { maxLength: 2 }),
  grants: fc.array(grant, { maxLength: 2 }),
  gifts: fc.array(gift, { maxLength: 2 }),
  used: fc.constantFrom(0, 1, 2),
  credit: fc.constantFrom(0, 10),
})
type Member = typeof member extends fc.Arbitrary<infer T> ? T : never

const state = fc.record({
  member: fc.option(member),
  can: abilities,
  isUnverified: fc.boolean(),
  handler: fc.constantFrom(null, 'sandbox'),
  isSelling: fc.boolean(),
})
type State = typeof state extends fc.Arbitrary<infer T> ? T : never

const rules = { plans, pastDueSeconds: 21 * 86_400, fields: new Map<string, string>(), now: () => now }

function userOf(drawn: Member) {
  return toUser(
    {
      id: 'member_1',
      roles: ['member'],
      language: null,
      content: {},
      name: drawn.name,
      email: drawn.email,
      email_verified: drawn.email_verified,
      created_at: '2026-01-05T09:00:00.000Z',
      subscriptions: () => drawn.subscriptions.map((s, n) => toSubscription({ ...s, id: `sub_${n}` })),
      payments: () => drawn.payments.map((p, n) => toPayment({ ...p, id: `pay_${n}` })),
      seats: () =>
        drawn.seats.map((s) => ({
          id: 'seat_1',
          subscription: toSubscription({ ...s, id: 'sub_of_another' }),
          payments: [],
          open_until: null,
        })),
      grants: drawn.grants.map((g, n) => ({ ...g, id: `grant_${n}` })),
      limits: () => ({
        usage: [
          {
            name: 'prints',
            bucket: 'month:2026-11-01',
            used: drawn.used,
            starts_at: '2026-11-01T00:00:00.000Z',
            ends_at: '2026-12-01T00:00:00.000Z',
          },
        ],
        credits:
          drawn.credit === 0
            ? []
            : [
                {
                  id: 'credit:1',
                  name: 'prints',
                  amount: drawn.credit,
                  created_at: '2026-11-01T00:00:00.000Z',
                  expires_at: null,
                },
              ],
        holds: [],
      }),
      customers: [],
    },
    rules,
  )
}

function viewOf({ member: drawn, can, isUnverified, handler, isSelling }: State): View {
  return toView(
    drawn === null ? null : userOf(drawn),
    {
      plans,
      handler,
      sellers: isSelling ? ['sandbox'] : [],
      providerKeys: ['sandbox', 'stripe'],
      can: () => can,
      money: ({ amount, currency }) => `${amount / 100} ${currency}`,
      updateCustomer: async () => {},
    },
    { unverifiedSince: isUnverified ? '2026-11-01T00:00:00.000Z' : null },
  )
}

const pages = {
  home: '/',
  account: '/account',
  prices: '/prices',
  links: [{ says: 'page.prices', url: '/prices' }],
}

test('every page says something in every state, and in each language', (t) => {
  fc.assert(
    fc.property(state, (drawn) => {
      for (const voice of voices) {
        const view = viewOf(drawn)
        const user = view.user()
        const listed = plansForPage(view, { voice, now, tax: 'included' })
        const switched = switchRhythm(listed, 'year')
        const common = {
          ...voice,
          pages,
          path: '/account',
          here: '/account',
          token: 'token',
          user,
          shop: { country: 'DE' },
          arrears: view.arrears(voice),
          plans: switched?.plans ?? listed,
          flash: null,
          no_mails: false,
        }
        const seat = {
          id: 'seat_1',
          subscription_id: 'sub_of_another',
          email: 'ada@post.test',
          member_id: 'member_1',
          role: 'member' as const,
          status: 'joined' as const,
          created_at: now.toISOString(),
          expires_at: null,
          joined_at: null,
          ended_for: null,
        }
        const managed = {
          subscription_id: 'sub_0',
          provider: 'sandbox',
          plan: 'circle',
          owner_id: 'member_1',
          seats: 4,
          free: 2,
          shrinks_at: null,
          members: [seat],
          lost_at: null,
        }
        const bought = (drawn.member?.gifts ?? []).map((item, n) => ({
          ...item,
          id: `gift_${n}`,
          message: null,
          batch: null,
          label: null,
          created_at: now.toISOString(),
          expires_at: null,
          redeemed_at: null,
          member_id: null,
          starts_at: null,
          ends_at: null,
          put_off: null,
          closed_for: null,
          held_at: null,
        }))
        const account = accountForPage(view, {
          voice,
          now,
          page: 1,
          gifts: bought,
          groups: { managed: [managed], seats: [seat] },
        })
        const shown: Record<string, string> = {
          account: render('account', {
            ...common,
            ...account,
            limits: limitsForPage(view, { voice, now }),
          }),
          prices: render('prices', {
            ...common,
            feature_table: featureTable(plans, Object.keys(names), voice),
          }),
          locked: render('locked', { ...common, gates: ['articles'], redirect: '/' }),
        }
        for (const [name, html] of Object.entries(shown))
          t.deepEqual(faultsIn(html), [], `${name}, ${voice.lang}`)
      }
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 120) },
  )
})

test('what was just done is said for every action, known or not', (t) => {
  const nobody = viewOf({
    member: null,
    isUnverified: false,
    handler: null,
    isSelling: false,
    can: { swap: false, preview: false, cancel: false, pause: false, portal: false },
  })
  for (const voice of voices)
    for (const code of flashCodes)
      for (const more of [
        {},
        { price: 'price_of_nobody', at: now.toISOString(), email: 'ada@post.test', subscription: 'sub_1' },
        ...priceIds.map((id) => ({ price: id, at: now.toISOString() })),
      ]) {
        const { sentence } = spokenOf({ code, ...more }, { view: nobody, voice, now })
        t.deepEqual(faultsIn(sentence), [], `${code}: ${sentence}`)
        t.true(sentence.length > 3, code)
      }
})

test('every error says something for every reason, status and language', (t) => {
  const codes = [...readFileSync(join(root, 'docs', 'errors.md'), 'utf8').matchAll(/^## (ERR_\w+)$/gm)]
  const problems = [
    ...codes.map(([, code]) => ({ code, status: 500 })),
    ...refusalReasons.map((reason) => ({ code: 'ERR_ACTION_REFUSED', status: 409, reason })),
    ...[400, 401, 402, 403, 404, 405, 409, 413, 418, 422, 429, 500, 502, 503].map((status) => ({ status })),
  ]
  for (const voice of voices)
    for (const problem of problems) {
      const { title, text, action } = errorIn(voice, problem, { again: '/', account: '/account' })
      t.deepEqual(faultsIn(`${title} ${text} ${action.label}`), [], JSON.stringify(problem))
    }
})

// The fields of a mail that may be null, be true or false, or be one of a few texts, as its type declares them.
const declared = readdirSync(join(root, 'src', 'memberships', 'mails', 'kinds'))
  .map((file) => readFileSync(join(root, 'src', 'memberships', 'mails', 'kinds', file), 'utf8'))
  .join('\n')
function choicesOf(kind: string): { field: string; choice: unknown }[] {
  const type = new RegExp(`defineMail<(\\w+)>\\(\\)\\('${kind}'`).exec(declared)?.[1] ?? 'NoData'
  const body = new RegExp(`interface ${type} \\{([\\s\\S]*?)\\n\\}`).exec(declared)?.[1] ?? ''
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??: (.+)$/gm)].flatMap(([, field = '', of = '']) => [
    ...(of.includes('| null') ? [{ field, choice: null }] : []),
    ...(of.startsWith('boolean') ? [true, false].map((choice) => ({ field, choice })) : []),
    ...[...of.matchAll(/'([^']+)'/g)].map(([, choice]) => ({ field, choice })),
  ])
}

test('every mail says something with and without each of its values, in each language', (t) => {
  const mails = openMails()
  let written = 0
  for (const kind of kinds) {
    const sample = samples[kind] as unknown as Record<string, unknown>
    const variants = choicesOf(kind).map(({ field, choice }) => ({ ...sample, [field]: choice }))
    for (const language of ['en', 'de', null])
      for (const name of ['Ada', null])
        for (const data of [sample, ...variants]) {
          const to = { to: 'ada@post.test', name, language }
          const mail = mails.compose(kind, { ...to, data } as never)
          written++
          for (const part of [mail.subject, mail.text, mail.html])
            t.deepEqual(faultsIn(part), [], `${kind} ${language} ${JSON.stringify(data)}`)
        }
  }
  t.true(written > 300, `${written} mails`)
})
