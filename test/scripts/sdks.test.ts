import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Subject } from '../../scripts/drift/compare.ts'
import { openSdk } from '../../scripts/drift/sdk.ts'
import { judge } from '../../scripts/sdks/answers.ts'
import { thorough } from '../support/parts.ts'

const declarations = `
export interface Item { price_id: string; seats?: number }
export interface Subscription {
  id: string
  status: 'active' | 'paused'
  ends_at: string | null
  created_at: Date
  items: Item[]
  metadata: Record<string, string>
  customer: string | { id: string; email: string }
  refresh(): void
}
export declare class Subscriptions {
  get(id: string): Promise<Subscription>
  list(): Promise<{ data: Subscription[] }>
}
`
const code = `
export class Subscriptions {
  get(id) { return this.client.get(\`/subscriptions/\${id}\`) }
  list() { return this.client.get('/subscriptions') }
}
`

const subject: Subject = {
  sdk: { package: 'acme', imports: '', calls: ['index.js'], declarations: ['index.d.ts'] },
  beyond: {},
  words: [],
  events: null,
}

const right = {
  id: 'sub_1',
  status: 'active',
  ends_at: null,
  created_at: '2026-01-01T00:00:00Z',
  items: [{ price_id: 'pri_1', seats: 2 }],
  metadata: { any: 'text' },
  customer: 'cus_1',
}

function verdictOn(
  t: ExecutionContext,
  shown: unknown,
  other: Partial<Subject> = {},
  path = '/subscriptions/sub_1',
) {
  const folder = mkdtempSync(join(tmpdir(), 'membership-sdks-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const place = join(folder, 'node_modules/acme')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"version":"1.0.0"}')
  writeFileSync(join(place, 'index.d.ts'), declarations)
  writeFileSync(join(place, 'index.js'), code)
  const whole = { ...subject, ...other }
  const { judged, accepted, refusals } = judge(whole, openSdk(folder, whole.sdk, []), [
    { method: 'GET', path, shown },
  ])
  return { judged, accepted, refusals: [...refusals.keys()] }
}

test('an object as the package declares it is accepted, alone and in a list', (t) => {
  t.deepEqual(verdictOn(t, right), { judged: 1, accepted: 1, refusals: [] })
  const expanded = { ...right, customer: { id: 'cus_1', email: 'ann@example.com' }, more: 'than is promised' }
  t.deepEqual(verdictOn(t, expanded).refusals, [])
  t.deepEqual(verdictOn(t, { data: [right, right] }, {}, '/subscriptions').accepted, 1)
  const apart = { objectsIn: (body: unknown) => (body as { data: unknown[] }).data }
  t.deepEqual(verdictOn(t, { data: [right, right] }, apart, '/subscriptions').accepted, 2)
})

thorough(test)('a missing, null, mistyped or unknown value is reported with its place', (t) => {
  const { ends_at: _, ...lacking } = right
  const wrong = { ...lacking, status: 'frozen', id: null, items: [{ seats: '2' }], metadata: { any: 1 } }
  t.deepEqual(verdictOn(t, wrong), {
    judged: 1,
    accepted: 0,
    refusals: [
      'GET /subscriptions/{}: id is null',
      'GET /subscriptions/{}: status is "frozen"',
      'GET /subscriptions/{}: ends_at is not there',
      'GET /subscriptions/{}: items[].price_id is not there',
      'GET /subscriptions/{}: items[].seats is a text',
      'GET /subscriptions/{}: metadata.* is a number',
    ],
  })
})

thorough(test)('a reason allows one difference, and is reported when nothing needs it', (t) => {
  const shown = { 'GET /subscriptions/{}: status is "frozen"': 'Documented, and not in the package yet.' }
  t.deepEqual(verdictOn(t, { ...right, status: 'frozen' }, { shown }).refusals, [])
  t.deepEqual(verdictOn(t, right, { shown }).refusals, [
    '"GET /subscriptions/{}: status is "frozen"" needs no reason any more',
  ])
})

thorough(test)('fields unknown to the package are not judged', (t) => {
  t.deepEqual(verdictOn(t, {}, {}, '/disputes/dp_1'), { judged: 0, accepted: 0, refusals: [] })
})
