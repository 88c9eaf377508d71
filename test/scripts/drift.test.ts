import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { compare, type Subject, typesOf } from '../../scripts/drift/compare.ts'
import { openSdk } from '../../scripts/drift/sdk.ts'
import { recordedIn, type Sent, writtenIn } from '../../scripts/drift/sent.ts'
import { thorough } from '../support/parts.ts'

/** A folder with these files, which goes with the test; `#{` stands for the beginning of a template's place. */
function folderWith(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'membership-drift-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text.replaceAll('#{', '${'))
  }
  return folder
}

const declarations = `
export type Status = 'active' | 'paused' | (string & {})
export type EventName = 'subscription.created' | 'payout.paid'
export interface Change { price?: string; mode?: 'now' | 'later'; items?: { price_id: string; seats?: number }[]; metadata?: Record<string, string> }
export declare class Subscriptions {
  list(query?: { status?: Status; 'created_at[gte]'?: string }, options?: { body?: unknown }): Promise<void>
  update(id: string, body: Change, options?: { body?: unknown }): Promise<void>
}
`
const code = `
const base = '/subscriptions'
export class Subscriptions {
  list(query, options) { return this.client.get(base, { query, ...options }) }
  update(id, body, options) { return this.client.patch(\`\${base}/\${encodeURIComponent(id)}\`, { body, ...options }) }
}
`

/** An official package as it is published, in a folder that an install made. */
function planted(t: ExecutionContext, change: (text: string) => string = (text) => text): string {
  return folderWith(t, {
    'node_modules/acme/package.json': JSON.stringify({
      name: 'acme',
      version: '1.2.3',
      type: 'module',
      types: './index.d.ts',
      main: './index.js',
    }),
    'node_modules/acme/index.d.ts': change(declarations),
    'node_modules/acme/index.js': change(code),
  })
}

const subject: Subject = {
  sdk: {
    package: 'acme',
    imports: "import type * as acme from 'acme'",
    calls: ['index.js'],
    declarations: ['index.d.ts'],
  },
  beyond: {},
  words: [{ of: 'status', type: 'acme.Status', known: ['active', 'paused'] }],
  events: {
    type: 'acme.EventName',
    handles: (type) => type.startsWith('subscription.'),
    known: ['subscription.created'],
    ignored: { 'The seller’s own money.': 'payout.paid' },
  },
}

function recorded(t: ExecutionContext, ...requests: readonly object[]): Sent[] {
  const lines = requests.map((request) => JSON.stringify({ key: 'acme', query: '', body: '', ...request }))
  return recordedIn(join(folderWith(t, { 'sent.jsonl': lines.join('\n') }), 'sent.jsonl'), 'acme')
}

const usual = [
  { method: 'GET', path: '/subscriptions', query: 'status=active&created_at%5Bgte%5D=2026-01-01' },
  {
    method: 'PATCH',
    path: '/subscriptions/sub_1',
    body: JSON.stringify({
      mode: 'now',
      metadata: { any: 'text' },
      items: [{ price_id: 'pri_1', seats: 2 }],
    }),
  },
]

function differencesOf(folder: string, sent: readonly Sent[], other: Partial<Subject> = {}): string[] {
  const whole = { ...subject, ...other }
  const { differences } = compare(whole, openSdk(folder, whole.sdk, typesOf(whole)), sent)
  return differences.map(({ kind, what }) => `${kind}: ${what}`)
}

// Only maintainers run the program that these try, and each costs a second.
const more = thorough(test)

test('an adapter that uses the official package’s fields does not differ', (t) => {
  const sdk = openSdk(planted(t), subject.sdk, typesOf(subject))
  t.deepEqual(
    sdk.operations.map(({ method, path }) => `${method} ${path}`),
    ['GET /subscriptions', 'PATCH /subscriptions/{}'],
  )
  t.is(sdk.version, '1.2.3')
  t.like(compare(subject, sdk, recorded(t, ...usual)), {
    requests: 2,
    fields: 8,
    words: 2,
    events: 2,
    differences: { length: 0 },
  })
})

more('a field that the package lacks is found, in a query, in a body and nested', (t) => {
  const sent = recorded(
    t,
    { method: 'GET', path: '/subscriptions', query: 'state=active&created_at%5Blt%5D=x' },
    { method: 'PATCH', path: '/subscriptions/sub_1', body: '{"plan":"a","items":[{"price":"pri_1"}]}' },
    { method: 'PATCH', path: '/subscriptions/sub_1', body: 'items%5B0%5D%5Bcount%5D=1' },
  )
  t.deepEqual(differencesOf(planted(t), sent), [
    'gone: GET /subscriptions: query state',
    'gone: GET /subscriptions: query created_at.lt',
    'gone: PATCH /subscriptions/{}: body plan',
    'gone: PATCH /subscriptions/{}: body items.price',
    'gone: PATCH /subscriptions/{}: body items.count',
  ])
})

more('a value that the package does not allow is found', (t) => {
  const body = JSON.stringify({ mode: 'soon', items: [{ price_id: 'a', seats: 'two' }] })
  const sent = recorded(t, { method: 'PATCH', path: '/subscriptions/sub_1', body })
  t.deepEqual(differencesOf(planted(t), sent), [
    'different: PATCH /subscriptions/{}: body mode = "soon"',
    'different: PATCH /subscriptions/{}: body items.seats = "two"',
  ])
})

more('a field, a path and a method that the package removed are found', (t) => {
  const sent = recorded(t, ...usual)
  const without = (from: string, to: string) =>
    differencesOf(
      planted(t, (text) => text.replaceAll(from, to)),
      sent,
    )
  t.deepEqual(without('seats?: number', ''), ['gone: PATCH /subscriptions/{}: body items.seats'])
  t.deepEqual(without('client.patch', 'client.put'), [
    'different: PATCH /subscriptions/{}: the package has PUT there',
  ])
  t.deepEqual(without("'/subscriptions'", "'/v2/subscriptions'"), [
    'gone: GET /subscriptions',
    'gone: PATCH /subscriptions/{}',
  ])
})

more('a removed and a new value of the package are found', (t) => {
  const words = (to: string) =>
    differencesOf(
      planted(t, (text) => text.replace("'active' | 'paused'", to)),
      [],
    )
  t.deepEqual(words("'active'"), ['gone: status: "paused"'])
  t.deepEqual(words("'active' | 'paused' | 'frozen'"), ['new: status: "frozen"'])
  const left = { ...subject.words[0]!, left: { frozen: 'It waits.' } }
  t.deepEqual(differencesOf(planted(t), [], { words: [left] }), ['gone: status: "frozen"'])
  const moved = differencesOf(
    planted(t, (text) => text.replace('Status =', 'State =')),
    [],
  )
  t.deepEqual(moved, ['gone: status: the type acme.Status'])
})

more('a new and a removed event are found', (t) => {
  const events = (to: string) =>
    differencesOf(
      planted(t, (text) => text.replace("'payout.paid'", to)),
      [],
    )
  t.deepEqual(events("'payout.paid' | 'seat.given'"), ['new: event seat.given'])
  t.deepEqual(events("'payout.paid' | 'subscription.moved'"), [])
  t.deepEqual(events("'payout.sent'"), ['new: event payout.sent', 'gone: event payout.paid'])
  const both = { ...subject.events!, ignored: { 'No.': 'payout.paid subscription.created' } }
  t.deepEqual(differencesOf(planted(t), [], { events: both }), [
    'different: event subscription.created is handled, and listed as ignored',
  ])
})

more('a reason allows one difference, and is reported when the package has caught up', (t) => {
  const body = '{"plan":"a"}'
  const sent = recorded(
    t,
    { method: 'PATCH', path: '/subscriptions/sub_1', body },
    { method: 'GET', path: '/disputes/dp_1' },
  )
  const beyond = { 'PATCH /subscriptions/{}: body plan': 'Beta.', 'GET /disputes/{}': 'Another API.' }
  t.deepEqual(differencesOf(planted(t), sent, { beyond }), [])
  t.deepEqual(differencesOf(planted(t), recorded(t, ...usual), { beyond }), [
    'different: "PATCH /subscriptions/{}: body plan" needs no reason any more',
    'different: "GET /disputes/{}" needs no reason any more',
  ])
})

more('requests are found in the output of each generator of official packages', (t) => {
  const call = (text: string, file = 'index.js', other: object = {}) => {
    const folder = folderWith(t, {
      'node_modules/acme/package.json': '{"version":"1.0.0"}',
      [`node_modules/acme/${file}`]: text,
      'node_modules/acme/index.d.ts':
        'export declare function change(id: string, body: { a: string }): void\nexport declare class OrderResource { pay(id: string, input: { a: string }): void }',
    })
    const layout = { ...subject.sdk, imports: '', calls: [file], ...other }
    const { operations } = openSdk(folder, layout, [])
    return operations.map(
      ({ method, path, takes }) => `${method} ${path} ${takes.map(({ name }) => name).join(',')}`,
    )
  }
  t.deepEqual(
    call("export function change(id, body) { return make('POST', `/v1/orders/#{id}/pay`, body) }"),
    ['POST /v1/orders/{}/pay id,body'],
  )
  // Shortened by a bundler.
  t.deepEqual(
    call('function k(t,e){return r({path:`/v1/orders/#{t}#{q(e)}`,method:"PATCH"})}export{k as change}'),
    ['PATCH /v1/orders/{} id,body'],
  )
  t.deepEqual(call("export const all = { order: [['pay', 'POST', '/orders', '/pay', true]] }"), [
    'POST /orders/{}/pay id,input',
  ])
  t.deepEqual(call('const change = (client) => async (id, body) => client.send("PUT", "/orders/", body)'), [
    'PUT /orders/ id,body',
  ])
  const typed = { declarations: undefined }
  t.deepEqual(
    call(
      'export class Orders { async pay({ id, body }: { id: string; body?: { a: string } }) { const request = this.createRequest("POST"); request.path`/orders/#{id}/pay` } }',
      'orders.ts',
      typed,
    ),
    ['POST /orders/{}/pay __0'],
  )
  t.deepEqual(
    call(
      'export async function change(id: string, body: object) { const path = pathToFunc("/v1/orders/{id}")({ id }); return send({ method: "PATCH", path: path, body }) }',
      'change.ts',
      typed,
    ),
    ['PATCH /v1/orders/{} id,body'],
  )
})

more('a request that no test triggers is read in the adapter’s source', (t) => {
  const file = 'acme.ts'
  const folder = folderWith(t, {
    [file]: [
      'const address = (texts: TemplateStringsArray, ...ids: string[]) => texts.join(ids[0])',
      'export const update = (api: any, id: string, name?: string) =>',
      "  api.ask('it', { method: 'PATCH', path: address`/subscriptions/#{id}`, body: { ...(name ? { name } : {}) } })",
      "export const all = (api: any) => api.all('them', '/subscriptions', { 'created_at[lt]': '2026' })",
    ].join('\n'),
  })
  const sent = writtenIn([join(folder, file)])
  t.deepEqual(differencesOf(planted(t), sent), [
    'gone: PATCH /subscriptions/{}: body name',
    'gone: GET /subscriptions: query created_at.lt',
  ])
})
