import { existsSync, readdirSync, readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError } from '../../src/core/errors.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import type { Provider } from '../../src/providers/contract.ts'
import { providerContract } from '../../src/testkit/index.ts'
import { shuffled, stateOf, withoutMembers } from '../support/converge.ts'
import { freshDatabase } from '../support/databases.ts'
import { type ProviderCase, seenOf } from './case.ts'
import { cases } from './cases.ts'

// What every provider must do, asked of each in one process.

const corpora = new URL('../../../shared/corpora/webhooks/', import.meta.url)

interface Vector {
  readonly id: string
  readonly secret: string
  /** What PayPal calls its secret, and with what it signs. */
  readonly webhook_id?: string
  readonly certificate_pem?: string | null
  /** Where the vector's own secret is written otherwise. */
  readonly secret_as_configured?: string
  readonly payload: string
  readonly headers: Readonly<Record<string, string>>
  readonly now?: number
  readonly tolerance_s?: number
  readonly expected: 'valid' | 'invalid'
}
const vectors = ['../signatures.json', '../signatures-more.json']
  .map((name) => new URL(name, corpora))
  .filter((file) => existsSync(file))
  .flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }).vectors)
  // Some were published without the certificate that they need.
  .filter(({ certificate_pem: certificate }) => certificate !== null)
  // Of those that come too late, the ones that are too late for us.
  .filter(({ tolerance_s: seconds }) => !seconds || seconds === 300)
const now = new Date('2026-03-02T12:00:00Z')

for (const item of cases) {
  const { definition, events, options, expected } = item
  const { key } = definition

  for (const { title, run } of providerContract(definition, { events, options }))
    test(`${key}: ${title}`, async (t) => {
      await run()
      t.pass()
    })

  const folder = new URL(`${key}/`, corpora)
  if (!existsSync(folder))
    test(`${key}: public payloads`, (t) => {
      t.log('skipped: the folder with public payloads is not beside the project')
      t.pass()
    })
  else {
    const provider = bareProvider(definition, options)
    for (const file of readdirSync(folder).sort())
      test(`${key}: ${file} means what its documentation says`, (t) => {
        const bytes = readFileSync(new URL(file, folder))
        if (item.isNoEvent?.(file)) return isUnreadable(t, () => provider.read({ body: bytes, headers: {} }))
        const payload = item.delivered?.(file, JSON.parse(bytes.toString()))
        const body = payload === undefined ? bytes : Buffer.from(JSON.stringify(payload))
        const changes = provider.read({ body, headers: {} }).flatMap((event) => provider.changes(event))
        const wanted = expected[file]
        if (wanted === undefined) return t.fail(`no expectation for ${file}`)
        t.deepEqual(
          changes.map((change, n) => seenOf(change, wanted[n])),
          [...wanted],
        )
      })
    test(`${key}: every expectation has its payload`, (t) => {
      const named = readdirSync(folder).filter((file) => !item.isNoEvent?.(file))
      t.deepEqual(Object.keys(expected).sort(), named.sort())
    })
  }

  const published = vectors.filter(({ id }) => id.startsWith(`${key}-`))
  for (const vector of published)
    test(`${key}: published signature ${vector.id} is ${vector.expected}`, async (t) => {
      t.is(
        await verdict(bareProvider(definition, { ...options, ...certificateOf(vector) }), vector),
        vector.expected,
      )
    })

  for (const [title, message, wanted] of item.told ?? [])
    test(`${key}: ${title}`, (t) => {
      const provider = bareProvider(definition, options)
      const changes = provider
        .read({ body: Buffer.from(JSON.stringify(message)), headers: {} })
        .flatMap((event) => provider.changes(event))
      t.deepEqual(
        changes.map((change, n) => seenOf(change, wanted[n])),
        [...wanted],
      )
    })

  if (item.modes)
    test(`${key}: its events contain their mode`, (t) => {
      const provider = bareProvider(definition, options)
      for (const [message, livemode] of item.modes ?? []) {
        const [event] = provider.read({ body: Buffer.from(JSON.stringify(message)), headers: {} })
        t.is(event?.livemode, livemode)
      }
    })

  test(`${key}: a subscription’s life opens and closes the right access`, async (t) => {
    const { story } = item
    let moment = now
    const m = await open(t, item, () => moment)
    const opened = async () => {
      const user = await m.users.findByEmail(story.email)
      return user === null ? [] : [story.plan, story.book].filter((price) => user.hasGate(price as never))
    }
    const happens = async (step: readonly unknown[]) => {
      for (const event of step) await deliver(t, m, item, event)
    }
    await happens(story.subscribes)
    t.deepEqual(await opened(), [story.plan], 'paid for, open')
    await happens(story.buys)
    t.deepEqual(await opened(), [story.plan, story.book], 'bought once, open')
    const payments = (await m.users.findByEmail(story.email))!.payments()
    t.is(payments.length, item.isSubscriberUnnamed ? 1 : 2, 'what several objects tell of one payment is one')
    await happens(story.cancels)
    const [subscription] = (await m.users.findByEmail(story.email))!.subscriptions()
    t.like(subscription, { on_grace_period: true, cancel_at: '2026-04-01T00:00:00.000Z' })
    t.deepEqual(await opened(), [story.plan, story.book], 'cancelled, and open to the end')
    await happens(story.ends)
    const over = new Date('2026-04-01T01:00:00Z')
    moment = over
    t.deepEqual(await opened(), [story.book], 'over')
    moment = now
    await happens(story.refunds)
    moment = over
    t.deepEqual(await opened(), [], 'given back')
  })

  test(`${key}: only a known one-time purchase opens forever`, async (t) => {
    const { story } = item
    const m = await open(t, item)
    // All but what the subscription itself says.
    const provider = bareProvider(definition, options)
    const isOfSubscription = (event: unknown) =>
      provider
        .read({ body: Buffer.from(JSON.stringify(event)), headers: {} })
        .flatMap((read) => provider.changes(read))
        .some(({ type }) => type === 'subscription')
    for (const event of story.subscribes) if (!isOfSubscription(event)) await deliver(t, m, item, event)
    const user = await m.users.findByEmail(story.email)
    t.false(user?.hasGate(story.plan as never) ?? false)
  })

  test(`${key}: its events in any order, some twice, give the same rows`, async (t) => {
    const { story } = item
    const all = [story.subscribes, story.buys, story.cancels, story.ends, story.refunds].flat()
    const endOf = async (messages: readonly unknown[]) => {
      const m = await open(t, item)
      for (const event of messages) await deliver(t, m, item, event)
      return withoutMembers(await stateOf(m))
    }
    const straight = await endOf(all)
    for (let seed = 1; seed <= 8; seed++)
      t.deepEqual(await endOf(shuffled(all, seed)), straight, `seed ${seed}`)
  })
}

function isUnreadable(t: ExecutionContext, read: () => unknown): void {
  const error = t.throws(read)
  t.true(isMembershipError(error, 'ERR_BODY_UNREADABLE'))
}

function certificateOf({ certificate_pem: certificate }: Vector) {
  return certificate ? { certificate } : {}
}

/** Whether the provider itself takes a published delivery for its own. */
async function verdict(provider: Provider, vector: Vector): Promise<Vector['expected']> {
  const headers = Object.fromEntries(Object.entries(vector.headers).map(([k, v]) => [k.toLowerCase(), v]))
  const secrets = [vector.secret_as_configured ?? vector.webhook_id ?? vector.secret].map((secret) => ({
    label: '',
    secret,
  }))
  try {
    const at = new Date((vector.now ?? 0) * 1000)
    await provider.verify({ body: Buffer.from(vector.payload), headers }, secrets, at)
    return 'valid'
  } catch (error) {
    if (isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')) return 'invalid'
    throw error
  }
}

async function open(
  t: ExecutionContext,
  { definition, secret, options, plans = {} }: ProviderCase,
  clock = () => now,
): Promise<Membership> {
  const m = await createMembership({
    install: false,
    'membership.compare.automatic': false,
    root: false,
    log: () => {},
    now: clock,
    ...(await freshDatabase()),
    'membership.provider.handler': definition.key as 'stripe',
    [`membership.providers.${definition.key}`]: { webhook: secret, plans, ...options },
  })
  t.teardown(() => m.close())
  return m
}

async function deliver(
  t: ExecutionContext,
  m: Membership,
  { definition: { key }, secret, sign }: ProviderCase,
  event: unknown,
) {
  const body = Buffer.from(JSON.stringify(event))
  const outcome = await m.webhooks.receive(key, {
    body,
    headers: sign?.(body, secret, now) ?? m.webhooks.sign(key, body),
  })
  t.true(['processed', 'duplicate', 'ignored'].includes(outcome), outcome)
}
