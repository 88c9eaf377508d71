import test from 'ava'
import fc from 'fast-check'
import { settings } from '../../support/converge.ts'
import { kirbyPage } from '../../support/web.ts'
import { open } from './support.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { type?: string; enum?: string[]; minimum?: number; maximum?: number; pattern?: string }
}

/** Values that a parameter may have, and values that it may not. */
const valuesOf = ({ name, schema }: Parameter, ids: readonly string[]): fc.Arbitrary<string> => {
  const wild = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom(
      '',
      '0',
      '1',
      '-1',
      '1e9',
      'null',
      '%00',
      '../..',
      "' or 1=1 --",
      '"',
      '*',
      'W/"x"',
      '\u00e9',
      '💥',
    ),
  )
  if (name === 'id') return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, wild)
  if (name === 'url')
    return fc.oneof(
      fc.constantFrom(
        'http://a.example/',
        'http://b.example/x',
        'http://plain.example',
        'http://down.example/',
        'https://',
        'ftp://a.example/',
        'http://127.0.0.1/',
        'http://[::1]/',
      ),
      fc.webUrl(),
      wild,
    )
  if (schema.enum) return fc.oneof(fc.constantFrom(...schema.enum), wild)
  if (schema.type === 'integer') return fc.oneof(fc.integer({ min: -5, max: 200 }).map(String), wild)
  if (name === 'Idempotency-Key') return fc.oneof(fc.constantFrom('"a"', '"b"', 'a', '""'), wild)
  return wild
}

test('whatever the document allows or forbids: no 5xx, and no answer that it does not describe', async (t) => {
  const hosts = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`site-${i}.example`, { '/': kirbyPage() }]),
  )
  const { documented, ann, bob, client } = await open(t, {
    hosts,
    'membership.reports.limit': 1_000_000,
    'membership.reports.limit_visits': 1_000_000,
    'membership.reports.limit_unchanged': 1_000_000,
  })
  const several: string[] = []
  for (const host of Object.keys(hosts)) several.push((await ann.add(`http://${host}/`)).body.data.id)
  const own = (await ann.add('http://a.example/')).body.data.id as string
  const theirs = (await bob.add('http://b.example/')).body.data.id as string
  const list = (await ann.importList('http://c.example/')).body.data.id as string
  // The document and its page have addresses of their own below /reports.
  const ids = [...several, own, theirs, list, 'imports', 'previews', `rpt_${'x'.repeat(24)}`]
  const operations = Object.entries(documented.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      path,
      method: method.toUpperCase(),
      parameters: parameters as readonly Parameter[],
    })),
  )
  const keys = [ann.key, bob.key, null, 'mk_wrong', `${ann.key.slice(0, -1)}!`]
  const request = fc.constantFrom(...operations).chain(({ path, method, parameters }) =>
    fc.record({
      path: fc.constant(path),
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(method) },
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      ),
      given: fc.tuple(
        ...parameters.map((one) => fc.option(valuesOf(one, ids)).map((value) => ({ ...one, value }))),
      ),
      key: fc.oneof({ weight: 6, arbitrary: fc.constant(ann.key) }, fc.constantFrom(...keys)),
      body: fc.option(fc.oneof(fc.string({ maxLength: 300 }), fc.constant('http://a.example\nfoo\n'))),
      type: fc.constantFrom(
        'text/plain',
        'application/json',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        'image/jpeg',
      ),
    }),
  )
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ path, method, given, key, body, type }) => {
      const query = new URLSearchParams()
      const headers: Record<string, string> = { 'content-type': type }
      let address = path
      for (const { name, in: place, value } of given) {
        if (value === null && place !== 'path') continue
        if (place === 'path') address = address.replace('{id}', encodeURIComponent(value ?? own) || 'x')
        if (place === 'query') query.append(name, value ?? '')
        // What no client can send in a header is not sent.
        if (place === 'header' && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value ?? ''))
          headers[name] = value ?? ''
      }
      if (/^\/reports\/(?:\.|%2E)+$/i.test(address)) return
      // Every answer is held against the document by the client.
      const { status } = await client(key).ask(method, `${address}${query.size > 0 ? `?${query}` : ''}`, {
        headers,
        body: ['POST', 'PATCH', 'PUT'].includes(method) ? (body ?? undefined) : undefined,
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500) throw new Error(`${method} ${address} answered ${status}`)
    }),
    settings(600),
  )
  t.log(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))
  t.true(statuses.size >= 6, 'many kinds of answers were seen')
})

test('two partners never see or change anything of each other', async (t) => {
  const hosts = Object.fromEntries(
    ['one', 'two', 'three', 'four'].map((name) => [`${name}.example`, { '/': kirbyPage(name) }]),
  )
  const { ann, bob, m } = await open(t, { hosts })
  const mine = [
    (await ann.add('http://one.example/')).body.data.id,
    (await ann.add('http://plain.example/')).body.id,
  ] as string[]
  const theirs = [
    (await bob.add('http://two.example/')).body.data.id,
    (await bob.add('http://down.example/')).body.id,
  ] as string[]
  const lists = {
    ann: (await ann.importList('http://x.example/')).body.data.id,
    bob: (await bob.importList('http://y.example/')).body.data.id,
  }
  const cursor = Buffer.from(`2026-03-01T10:20:30.000Z ${mine[0]}`).toString('base64url')

  // Nothing is left to be done by itself while they try.
  await m.work()

  const attack = fc.record({
    who: fc.constantFrom('ann', 'bob'),
    what: fc.constantFrom(
      'read',
      'expand',
      'refresh',
      'remove',
      'upload',
      'import',
      'cursor',
      'match',
      'add',
    ),
    at: fc.nat({ max: 1 }),
  })
  const shownTo = async (who: typeof ann) => (await who.list('?expand=1')).text
  const before = { ann: await shownTo(ann), bob: await shownTo(bob) }
  await fc.assert(
    fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 6 }), async (attacks) => {
      for (const { who, what, at } of attacks) {
        const [me, id] = who === 'ann' ? [ann, theirs[at]!] : [bob, mine[at]!]
        const foreign = who === 'ann' ? lists.bob : lists.ann
        const ask = {
          read: () => me.read(id),
          expand: () => me.read(id, '?expand=1'),
          refresh: () => me.refresh(id),
          remove: () => me.remove(id),
          upload: () => me.upload(id, Buffer.from([0xff, 0xd8, 0xff])),
          import: () => me.ask('GET', `/reports/imports/${foreign}`),
          match: () => me.remove(id, { 'If-Match': '*' }),
          cursor: () => me.list(`?cursor=${cursor}`),
          add: () => me.add(who === 'ann' ? 'http://two.example/' : 'http://one.example/'),
        }[what]
        const { status, body } = await ask()
        if (what === 'cursor')
          for (const { id: shown } of body.data)
            if ((who === 'ann' ? theirs : mine).includes(shown)) throw new Error('leak')
        if (what === 'add' && status !== 409) throw new Error(`added: ${status}`)
        if (!['cursor', 'add'].includes(what) && status !== 404) throw new Error(`${what}: ${status}`)
      }
    }),
    settings(60),
  )
  t.is(await shownTo(ann), before.ann)
  t.is(await shownTo(bob), before.bob)
})
