/**
 * Writes what each fake server was asked for each capability, and what each official package offers for
 * subscriptions, payments and checkouts: `SDKS_FOLDER=… npx tsx scripts/drift/offered.ts`, with the packages
 * installed there.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { ProviderDefinition } from '../../src/providers/contract.ts'
import { placeOf } from '../../src/testkit/certify/compare.ts'
import { certify, payAt } from '../../src/testkit/certify/index.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { createFakeServer } from '../../src/testkit/index.ts'
import { operationsAt, stepsOf } from './compare.ts'
import { type Operation, openSdk } from './sdk.ts'
import { writtenIn } from './sent.ts'
import { subjects } from './subjects.ts'

const root = join(import.meta.dirname, '../..')
const folder = process.env.SDKS_FOLDER
if (folder === undefined) throw new Error('SDKS_FOLDER names the folder in which the packages are installed.')

/** What stands in capabilities.json of one provider. */
export interface Offered {
  readonly package: string
  /** Requests of each capability, as the fake server was asked, with the error where it did not go through. */
  readonly asked: Readonly<
    Record<string, { readonly requests: readonly string[]; readonly error: string | null }>
  >
  /** Requests of the package for subscriptions, payments and checkouts that the adapter does not make. */
  readonly unused: readonly string[]
  /** Requests of the adapter that the package does not have. */
  readonly beyond: readonly string[]
}

const area =
  /\/(?:subscriptions?|payments?|payment-links|payment_intents|payment_links|checkouts?|checkout|transactions|orders|refunds|charges|invoices|subscription[-_]\w+|hosted_pages|sale|captures|authorizations|billing)(?:\/|$)/

const prices = { lemonsqueezy: { month: '2001', team: '2002', once: '2003' } } as Readonly<
  Record<string, { month: string; team: string; once: string }>
>
const usual = { month: 'price_month1', team: 'price_team1', once: 'price_once1' }

const written: Record<string, Offered> = {}
for (const [key, subject] of Object.entries(subjects)) {
  const definition = definitions.find((each) => each.key === key)!
  const sdk = openSdk(folder, subject.sdk, [])
  const asked = await askedOf(definition)
  const { base = '', root: top = '' } = subject
  const placed = (path: string): string => {
    const own = path.startsWith(base) ? path.slice(base.length) : path
    return own.startsWith(top) ? own : `${top}${own}`
  }
  const used = new Set<string>()
  const beyond = new Set<string>()
  const note = (method: string, path: string): void => {
    const found = operationsAt(sdk.operations, placed(path)).filter(
      (each) => method === '*' || each.method === method,
    )
    for (const each of found) used.add(nameOf(each))
    if (found.length === 0 && method !== '*') beyond.add(`${method} ${path}`)
  }
  for (const { requests } of Object.values(asked))
    for (const request of requests) {
      const [method = '', path = ''] = request.split(' ')
      note(method, path)
    }
  const files = ts.sys.readDirectory(join(root, 'src/providers', key), ['.ts'])
  for (const { method, path } of writtenIn(files)) note(method === '*' ? '*' : method, path)
  const unused = [...new Set(sdk.operations.map(nameOf))]
    .filter((name) => area.test(name) && !used.has(name))
    .sort()
  const inTests = Object.values(asked).flatMap(({ requests }) => requests)
  written[key] = {
    package: `${subject.sdk.package} ${sdk.version}`,
    asked,
    unused,
    beyond: [...beyond].filter((name) => inTests.includes(name)).sort(),
  }
  console.log(
    `${key}: ${Object.keys(asked).length} capabilities, ${unused.length} unused, ${written[key].beyond.length} beyond`,
  )
}
writeFileSync(join(import.meta.dirname, 'capabilities.json'), `${JSON.stringify(written, null, 2)}\n`)

function nameOf({ method, path }: Operation): string {
  return `${method} ${stepsOf(path).join('/')}`
}

async function askedOf(definition: ProviderDefinition): Promise<Offered['asked']> {
  const fake = await createFakeServer(definition, { running: true })
  const known = prices[definition.key] ?? usual
  const monthly = { currency: 'eur', recurring: { interval: 'month' }, product: 'PROD-CERTIFY' } as const
  fake.addPrice({ id: known.month, unit_amount: 900, ...monthly })
  fake.addPrice({ id: known.team, unit_amount: 2500, ...monthly })
  fake.addPrice({ id: known.once, unit_amount: 1900, currency: 'eur', product: 'PROD-CERTIFY' })
  const { cassette } = await certify({
    definition,
    prices: known,
    base: fake.url,
    email: 'ann@example.com',
    options: { secret: fake.secret, ...('clientId' in fake ? { client_id: fake.clientId } : {}) },
    pay: (url) => payAt(fake, url, 'ann@example.com'),
    deliver: async () => {
      await fake.deliver()
    },
    now: () => fake.now(),
  })
  await fake.close()
  const { idsIn } = await import('../../src/testkit/certify/compare.ts')
  const ids = idsIn(cassette.steps.map(({ exchanges }) => exchanges))
  return Object.fromEntries(
    cassette.steps.flatMap(({ feature, outcome, exchanges }) =>
      outcome === null
        ? []
        : [
            [
              feature,
              {
                requests: [...new Set(exchanges.map((each) => placeOf(each, ids)))].sort(),
                error: typeof outcome.error === 'string' ? outcome.error : null,
              },
            ],
          ],
    ),
  )
}
