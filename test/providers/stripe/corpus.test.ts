import test, { type ExecutionContext } from 'ava'
import Stripe from 'stripe'
import { customerMessageSchema, subscriptionSchema } from '../../../src/core/dto/index.ts'
import type { Change } from '../../../src/providers/contract.ts'
import { stripeCorpus } from '../../support/stripe-corpus.ts'
import { stripeProvider } from '../../support/stripe-events.ts'
import { shownAs } from '../case.ts'
import { type Expected, expected } from './expected.ts'

const secret = 'whsec_corpus'
const now = new Date('2026-03-01T12:00:00Z')
const provider = stripeProvider()
const sdk = new Stripe('sk_test_unused')
const corpus = stripeCorpus()

if (corpus === null) {
  test('public payloads', (t) => {
    t.log('skipped: the folder with public payloads is not beside the project')
    t.pass()
  })
} else {
  for (const { file, type, body } of corpus) {
    test(`${file} means what its documentation says`, (t) => {
      // Signed by Stripe's own package, so that both sides are not ours.
      const header = sdk.webhooks.generateTestHeaderString({
        payload: body.toString('utf8'),
        secret,
        timestamp: now.getTime() / 1000,
      })
      const delivery = { body, headers: { 'stripe-signature': header } }
      t.is(provider.verify(delivery, [{ label: 'main', secret }], now), 'main')
      const [event, ...more] = provider.read(delivery)
      t.is(more.length, 0)
      t.is(event?.type, type)
      t.regex(event?.id ?? '', /^evt_corpus\d{4}$/)
      const wanted = expected[file]
      if (event === undefined || wanted === undefined) return t.fail(`no expectation for ${file}`)
      assertChanges(t, provider.changes(event), wanted)
    })
  }

  test('every expectation has its file', (t) => {
    t.deepEqual(corpus.map(({ file }) => file).sort(), Object.keys(expected).sort())
  })
}

function assertChanges(t: ExecutionContext, changes: readonly Change[], wanted: readonly Expected[]) {
  t.is(changes.length, wanted.length, JSON.stringify(changes))
  for (const [index, want] of wanted.entries()) {
    const change = changes[index]!
    if (want.type === 'touch' || change.type === 'touch') {
      t.deepEqual(change, want)
      continue
    }
    const { data, before: _, ...head } = { before: undefined, ...want }
    t.like(change, head)
    for (const [key, value] of Object.entries(data)) {
      t.deepEqual(
        shownAs(change.data[key as keyof typeof change.data], value),
        value as never,
        `${change.id} ${key}`,
      )
    }
    assertBefore(t, change, want)
    assertSchema(t, change)
  }
}

function assertBefore(t: ExecutionContext, change: Change, want: Expected) {
  if (change.type !== 'subscription' || want.type !== 'subscription') return
  if (want.before === undefined) return t.is(change.before, undefined)
  for (const [key, value] of Object.entries(want.before)) {
    t.deepEqual(change.before?.[key as keyof typeof change.before], value as never, `before ${key}`)
  }
}

function assertSchema(t: ExecutionContext, change: Change) {
  const row = { provider: 'stripe', account: '', updated_at: now.toISOString() }
  if (change.type === 'subscription') t.notThrows(() => subscriptionSchema.parse({ ...change.data, ...row }))
  if (change.type === 'customer') t.notThrows(() => customerMessageSchema.parse({ ...change.data, ...row }))
}
