import { existsSync, readFileSync } from 'node:fs'
import test from 'ava'
import { bareProvider } from '../../src/providers/bare.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { seenOf } from './case.ts'
import { documented } from './documented.ts'
import { expectations } from './expectations.ts'
import { ignoredBecause } from './ignored.ts'

// What holds for the expectations of all public payloads together; `matrix.test.ts`, `stripe/corpus.test.ts` and
// `mollie/receiving.test.ts` give each payload to its reader.

const index = new URL('../../../shared/corpora/webhooks/INDEX.tsv', import.meta.url)

interface Payload {
  readonly provider: string
  readonly file: string
  readonly source: string
}

function payloads(): Payload[] {
  return readFileSync(index, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [path = '', provider = '', , , , source = ''] = line.split('\t')
      return { provider, file: path.slice(provider.length + 1), source }
    })
    .filter(({ provider }) => provider in expectations)
}

/** What an expectation must say of each kind of change: an amount that is not there is said to be undefined. */
const required = {
  subscription: ['customer_id', 'status', 'price_id', 'currency', 'unit_amount', 'current_period_end'],
  customer: ['email', 'name', 'deleted'],
  payment: ['amount', 'currency', 'state'],
  checkout: ['amount', 'currency', 'state', 'checkout_status'],
  refund: ['refs', 'amount', 'currency', 'state'],
  dispute: ['refs', 'amount', 'currency', 'state'],
  link: ['refs'],
} as const

// No message of theirs is about a customer alone.
const withContact = ['dodo', 'lemonsqueezy', 'paypal']

function lackingIn(provider: string, wanted: unknown): string[] {
  if (typeof wanted === 'string') return []
  const { type, kind, id, data } = wanted as {
    type: string
    kind?: keyof typeof required
    id: string
    data?: object
  }
  if (type === 'touch' || data === undefined) return []
  const names = required[kind ?? (type as 'subscription')]
  const lacking: string[] = names.filter((name) => !Object.hasOwn(data, name))
  const isUnnamed =
    type === 'subscription' && withContact.includes(provider) && !Object.hasOwn(wanted as object, 'contact')
  return [...lacking, ...(isUnnamed ? ['contact'] : [])].map((name) => `${kind ?? type} ${id}: ${name}`)
}

if (!existsSync(index))
  test('public payloads', (t) => {
    t.log('skipped: the folder with public payloads is not beside the project')
    t.pass()
  })
else {
  test('every public payload of a provider has an expectation, or a reason why it is none of its messages', (t) => {
    const missing = payloads().filter(
      ({ provider, file }) =>
        expectations[provider]!.expected[file] === undefined && !expectations[provider]!.isRefused(file),
    )
    t.deepEqual(missing, [])
  })

  test('an expectation names status, price, period end, customer, amounts and what they belong to', (t) => {
    const lacking = payloads().flatMap(({ provider, file }) =>
      (expectations[provider]!.expected[file] ?? []).flatMap((wanted) =>
        lackingIn(provider, wanted).map((what) => `${provider} ${file}: ${what}`),
      ),
    )
    t.deepEqual(lacking, [])
  })

  test('docs/tested.md counts the payloads and names their sources', (t) => {
    const table = readFileSync(new URL('../../docs/tested.md', import.meta.url), 'utf8')
    const rows = new Map(
      [...table.matchAll(/^\| ([\w ]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (?:(\d+) )?\| (.+) \|$/gm)].map(
        ([, name = '', ...rest]) => [name.replace(/ Payments| /, '').toLowerCase(), rest] as const,
      ),
    )
    for (const [provider, { expected, isRefused }] of Object.entries(expectations)) {
      const own = payloads().filter((each) => each.provider === provider)
      const refused = own.filter(({ file }) => isRefused(file))
      const ignored = own.filter(({ file }) => !isRefused(file) && expected[file]?.length === 0)
      const written = documented.filter((each) => each.provider === provider).length
      t.deepEqual(
        rows
          .get(provider)
          ?.slice(0, 5)
          .map((text) => text ?? ''),
        [
          own.length,
          own.length - ignored.length - refused.length,
          ignored.length,
          refused.length,
          written || '',
        ].map(String),
        provider,
      )
      t.deepEqual(
        (rows.get(provider)?.[5] ?? '').split(', ').sort(),
        [...new Set(own.map(({ source }) => source))].sort(),
        provider,
      )
    }
  })

  test('a payload that is ignored has a reason', (t) => {
    const unexplained = payloads().filter(
      ({ provider, file }) =>
        (expectations[provider]!.expected[file] ?? []).length === 0 &&
        ignoredBecause(provider, file) === undefined,
    )
    t.deepEqual(unexplained, [])
  })
}

for (const { provider: key, title, source, message, wanted } of documented)
  test(`${key}: ${title} (${source})`, (t) => {
    const provider = bareProvider(definitions.find((each) => each.key === key)!)
    const changes = provider
      .read({ body: Buffer.from(JSON.stringify(message)), headers: {} })
      .flatMap((event) => provider.changes(event))
    t.deepEqual(
      changes.map((change, n) => seenOf(change, wanted[n])),
      [...wanted],
    )
  })
