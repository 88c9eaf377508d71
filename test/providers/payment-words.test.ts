import { existsSync, readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import { wordsOf } from '../../scripts/drift/payment-words.ts'
import type { BilledFor } from '../../src/core/dto/index.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import type { MoneyChange, Provider } from '../../src/providers/contract.ts'
import { toCheckout, toPayment } from '../../src/providers/mollie/money.ts'
import type { PaymentWord } from '../../src/providers/money.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { stripeCorpus } from '../support/stripe-corpus.ts'
import { cases } from './cases.ts'

// What the table of payment messages declares, held against what the adapters read in public payloads, and in messages
// written from the documentation.

const corpora = new URL('../../../shared/corpora/webhooks/', import.meta.url)

/** Declared words that neither a public payload nor a documented message here has. Whoever adds one removes it here. */
const unseen: Readonly<Record<string, readonly string[]>> = {
  'lemonsqueezy bill': ['change'],
  'mollie payment': ['first', 'price', 'quantity'],
  'paddle payment': ['change', 'trial'],
  'polar payment': ['change', 'renewal'],
  'stripe bill': ['change', 'first'],
  'stripe checkout': ['price', 'quantity'],
  'stripe collection': ['price'],
}

function changesOf(provider: Provider, body: Buffer): MoneyChange[] {
  return provider
    .read({ body, headers: {} })
    .flatMap((event) => provider.changes(event))
    .filter((change) => change.type === 'money')
}

function payloadsIn(key: string): [file: string, bytes: Buffer][] {
  const folder = new URL(`${key}/`, corpora)
  return existsSync(folder)
    ? readdirSync(folder).map((file) => [file, readFileSync(new URL(file, folder))])
    : []
}

function ofMollie(): MoneyChange[] {
  return payloadsIn('mollie').flatMap(([file, bytes]) => {
    const raw = file.endsWith('.json') ? JSON.parse(bytes.toString()) : {}
    const payment = raw.resource === 'payment' ? toPayment(raw) : null
    if (payment === null) return []
    const checkout = toCheckout(raw, payment, null)
    const change = (kind: 'payment' | 'checkout', data: MoneyChange['data']): MoneyChange => ({
      type: 'money',
      kind,
      id: data.id,
      stage: 'updated',
      data,
    })
    return [change('payment', payment), ...(checkout === null ? [] : [change('checkout', checkout)])]
  })
}

/** By provider: its payment messages as they are read. */
const read: ReadonlyMap<string, () => MoneyChange[]> = new Map([
  ['mollie', ofMollie],
  [
    'stripe',
    () => {
      const stripe = bareProvider(definitions.find(({ key }) => key === 'stripe')!)
      return (stripeCorpus() ?? []).flatMap(({ body }) => changesOf(stripe, body))
    },
  ],
  ...cases.map(
    (item) =>
      [
        item.definition.key,
        () => {
          const provider = bareProvider(item.definition, item.options)
          const delivered = payloadsIn(item.definition.key)
            .filter(([file]) => item.isNoEvent?.(file) !== true)
            .map(([file, bytes]) => {
              const payload = item.delivered?.(file, JSON.parse(bytes.toString()))
              return payload === undefined ? bytes : Buffer.from(JSON.stringify(payload))
            })
          const documented = [...item.events, ...(item.told ?? []).map(([, message]) => message)]
          return [...delivered, ...documented.map((event) => Buffer.from(JSON.stringify(event)))].flatMap(
            (body) => changesOf(provider, body),
          )
        },
      ] as const,
  ),
])

function saidIn({ data }: MoneyChange): readonly (PaymentWord | BilledFor)[] {
  const { items = [] } = data
  const words: readonly (PaymentWord | BilledFor | false | undefined)[] = [
    (data.period_end != null || items.some(({ period_end }) => period_end != null)) && 'period',
    items.some(({ amount }) => amount !== undefined) && 'item amounts',
    (data.price_id != null || items.some(({ price_id }) => price_id !== null)) && 'price',
    (data.quantity != null || items.some(({ quantity }) => quantity !== null)) && 'quantity',
    (data.trial === true || items.some(({ trial }) => trial === true)) && 'trial',
    data.billed_for,
    ...items.map(({ billed_for }) => billed_for),
  ]
  return words.filter((word): word is PaymentWord | BilledFor => typeof word === 'string')
}

test('every provider says what its payment messages say, with the address of its documentation', (t) => {
  const keys = definitions.map(({ key }) => key).filter((key) => key !== 'sandbox')
  t.deepEqual(Object.keys(wordsOf).sort(), keys.sort())
  for (const { source } of Object.values(wordsOf).flat()) t.regex(source, /^https:\/\//)
})

for (const [key, declared] of Object.entries(wordsOf)) {
  const messages = read.get(key)
  if (messages === undefined || payloadsIn(key).length === 0)
    test(`${key}: its payment messages say what the table declares`, (t) => {
      t.log('skipped: no public payload of it is beside the project')
      t.pass()
    })
  else
    test(`${key}: its payment messages say what the table declares`, (t) => {
      const said = new Map<string, Set<string>>()
      for (const change of messages()) {
        const role = change.part ?? change.kind
        if (change.kind !== 'payment' && change.kind !== 'checkout') continue
        said.set(role, new Set([...(said.get(role) ?? []), ...saidIn(change)]))
      }
      for (const role of new Set([...said.keys(), ...declared.map((each) => each.role)])) {
        // Some providers have no object of a checkout: what is paid is its page, too.
        const isPage = role === 'checkout' && declared.every((each) => each.role !== role)
        const words = declared.filter((each) => isPage || each.role === role)
        const known = new Set<string>(words.flatMap(({ says, purposes }) => [...says, ...purposes]))
        const seen = said.get(role) ?? new Set()
        t.deepEqual(
          [...seen].filter((word) => !known.has(word)),
          [],
          `${key} ${role}: read and not declared`,
        )
        if (isPage) continue
        t.deepEqual(
          [...known].filter((word) => !seen.has(word)).sort(),
          [...(unseen[`${key} ${role}`] ?? [])].sort(),
          `${key} ${role}: declared and not read`,
        )
      }
    })
}
