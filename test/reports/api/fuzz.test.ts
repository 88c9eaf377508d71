import test from 'ava'
import fc from 'fast-check'
import { settings } from '../../support/converge.ts'
import type { Operation, Parameter, Schema } from '../../support/openapi.ts'
import { kirbyPage, plainPage } from '../../support/web.ts'
import { plainJpeg } from '../preview/support.ts'
import { added, bodyOf, type Import, type List, type OpenIndex, openIndex, type Partner } from './support.ts'

function sites() {
  return {
    'a.example': { '/': kirbyPage('Site A') },
    'b.example': { '/': kirbyPage('Site B') },
    'c.example': { '/': kirbyPage('Site C') },
    'second.example': { '/': kirbyPage('Second') },
    'plain.example': { '/': plainPage() },
  }
}

/** A request as it is sent. */
interface Wish {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FormData
}

async function open(t: Parameters<typeof openIndex>[0]) {
  const index = await openIndex(t, sites(), {
    'membership.reports.limit': 1_000_000,
    'membership.reports.limit_visits': 1_000_000,
    'membership.reports.limit_unchanged': 1_000_000,
    'membership.reports.wait_seconds': 5,
  })
  return { index, ann: await index.partner('ann'), bob: await index.partner('bob') }
}

/** Everything of a partner that others might see or change. */
async function own(index: OpenIndex, partner: Partner) {
  const id = await added(t0, partner, 'http://a.example/')
  const picture = (await bodyOf(await partner.upload(id, await plainJpeg()))).data.preview!.url
  const list = await partner.ask('POST', '/reports/imports', {}, 'http://plain.example/\nno address')
  const { data } = await bodyOf<Import>(list)
  await index.m.runDueJobs()
  // A second page.
  await partner.add('http://second.example/')
  const read = await partner.read(id)
  const page = await bodyOf<List>(await partner.list('?limit=1'))
  return {
    ids: [id, data.id],
    cursor: new URL(page.links.next!).searchParams.get('cursor')!,
    etag: read.headers.get('etag')!,
    picture,
  }
}
// What `own` prepares is no assertion of its own.
const t0 = { is: () => true } as unknown as Parameters<typeof added>[0]

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((n) => String.fromCharCode(n)),
  maxLength: 40,
})
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  printable,
)

const addresses = fc.oneof(
  fc.constantFrom(
    'http://b.example/',
    'http://c.example/path?x=1',
    'http://plain.example/',
    'http://nowhere.example/',
    'http://127.0.0.1/',
    'http://a.example:99/',
  ),
  fc.webUrl({ validSchemes: ['http', 'https', 'ftp'] }),
  anyText,
)

/** Values within a parameter's schema, or outside of it. */
function textFor({ name, schema }: Parameter): fc.Arbitrary<string> {
  if (name === 'url') return addresses
  const within: fc.Arbitrary<string>[] = []
  if (Array.isArray(schema.enum)) within.push(fc.constantFrom(...(schema.enum as string[])))
  if (schema.type === 'integer')
    within.push(fc.integer({ min: Number(schema.minimum), max: Number(schema.maximum) }).map(String))
  if (typeof schema.pattern === 'string')
    within.push(fc.stringMatching(/^"[a-z]{1,3}"$/), fc.stringMatching(new RegExp(schema.pattern)))
  if (name.startsWith('If-')) within.push(fc.constantFrom('*', '"1.x"', 'W/"a"', '"a", "b"'))
  const outside = fc.oneof(anyText, fc.constantFrom('', '0', '2', '-1', '1e9', 'null', '[]', '%', '\u0000'))
  return fc.oneof(...within, outside)
}

function wishOf(
  path: string,
  method: string,
  operation: Operation,
  known: Record<string, readonly string[]>,
): fc.Arbitrary<Wish> {
  const parameters = operation.parameters ?? []
  const given = fc.record(
    Object.fromEntries(
      parameters.map((parameter) => [
        `${parameter.in}:${parameter.name}`,
        parameter.in === 'path'
          ? fc.oneof(
              fc.constantFrom(...known.ids!),
              anyText.filter((text) => text.trim() !== ''),
            )
          : fc.option(
              parameter.name === 'cursor'
                ? fc.oneof(fc.constantFrom(...known.cursors!), anyText)
                : textFor(parameter),
              { nil: undefined, freq: 2 },
            ),
      ]),
    ),
  )
  const types = Object.keys(operation.requestBody?.content ?? {})
  return fc
    .record({ given, body: bodyFor(types), more: moreHeaders, twice: fc.integer({ min: 0, max: 9 }) })
    .map(({ given: values, body, more, twice }) => {
      const query = new URLSearchParams()
      const headers: Record<string, string> = { ...more }
      let at = path
      for (const [key, value] of Object.entries(values)) {
        const [place, name] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)]
        if (value === undefined) continue
        if (place === 'path') at = at.replace(`{${name}}`, () => segmentOf(value))
        else if (place === 'query') {
          query.append(name, value)
          if (twice === 0) query.append(name, value)
        } else headers[name] = value.replace(/[^\x20-\x7e]/g, '?')
      }
      const search = query.size > 0 ? `?${query}` : ''
      const isRead = method === 'get' || method === 'head'
      return { method: method.toUpperCase(), path: at + search, headers, ...(isRead ? {} : body) }
    })
}

// A dot alone would lead to another address before it is sent.
function segmentOf(text: string): string {
  return /^\.{1,2}$/.test(text) ? 'dots' : encodeURIComponent(Buffer.from(text).toString())
}

const moreHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  fc.constant({}),
  fc.constantFrom<Record<string, string>>(
    { accept: 'text/html' },
    { 'content-type': 'application/json' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { prefer: 'respond-async, wait=1' },
    { 'x-forwarded-for': '1.2.3.4' },
    { 'x-http-method-override': 'DELETE' },
    { origin: 'https://elsewhere.example' },
  ),
)

function bodyFor(types: readonly string[]): fc.Arbitrary<{ body?: string | FormData }> {
  const lines = fc.array(addresses, { maxLength: 6 }).map((list) => ({ body: list.join('\n') }))
  const forms = fc.constantFrom('preview', 'picture').chain((field) =>
    fc.string({ maxLength: 60 }).map((text) => {
      const form = new FormData()
      form.set(field, new Blob([`\u00ff${text}`]), 'shot.jpg')
      return { body: form }
    }),
  )
  const none = fc.constant({})
  if (types.includes('text/plain')) return fc.oneof(lines, none)
  return types.includes('multipart/form-data') ? fc.oneof(forms, lines, none) : fc.oneof(none, lines)
}

async function send(who: Partner, { method, path, headers, body }: Wish): Promise<Response> {
  const all = body instanceof FormData ? without(headers, 'content-type') : headers
  const sent = who.ask(method, path, { ...all }, body)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, failed) => {
    timer = setTimeout(() => failed(new Error(`no answer to ${method} ${path}`)), 120_000)
  })
  return Promise.race([sent, late]).finally(() => clearTimeout(timer))
}

function without(headers: Readonly<Record<string, string>>, name: string) {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
}

function allWishes(
  paths: OpenIndex['document']['paths'],
  known: Record<string, readonly string[]>,
): fc.Arbitrary<Wish> {
  return fc.oneof(
    ...Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => wishOf(path, method, operation, known)),
    ),
  )
}

test('any request gets a documented answer, and never an internal error', async (t) => {
  const { index, ann } = await open(t)
  await own(index, ann)
  const page = await bodyOf<List>(await ann.list('?limit=1'))
  const known = {
    ids: ['imports', 'docs', 'rpt_x', 'OWN', 'OWN', 'OWN'],
    cursors: [new URL(page.links.next!).searchParams.get('cursor')!],
  }
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(allWishes(index.document.paths, known), async (wish) => {
      // The client compares each answer with the document, where no 500 stands.
      const path = wish.path.replace('/OWN', `/${await ownId(ann)}`)
      const { status } = await send(ann, { ...wish, path })
      seen.set(`${wish.method} ${status}`, (seen.get(`${wish.method} ${status}`) ?? 0) + 1)
      return status < 500
    }),
    settings(1500),
  )
  t.log(
    [...seen]
      .sort()
      .map(([name, count]) => `${name}: ${count}`)
      .join(', '),
  )
  for (const item of [
    'GET 200',
    'GET 400',
    'GET 404',
    'POST 202',
    'POST 400',
    'POST 422',
    'PATCH 200',
    'PATCH 404',
    'DELETE 204',
    'DELETE 404',
  ])
    t.true(seen.has(item), item)
  t.deepEqual(
    index.log.filter((line) => line.startsWith('unexpected')),
    [],
  )
})

/** A website of that partner; one is added when none is left. */
async function ownId(partner: Partner): Promise<string> {
  const { data } = await bodyOf<List>(await partner.list('?limit=1'))
  return data[0]?.id ?? added(t0, partner, 'http://a.example/')
}

test('methods and addresses beyond the document are answered 404 or 405', async (t) => {
  const { index, ann } = await open(t)
  const methods = fc.constantFrom('GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'SEARCH')
  const paths = fc
    .array(
      fc.oneof(
        fc.constantFrom('imports', 'rpt_1', 'docs.json', 'a'),
        anyText.filter((text) => text.trim() !== ''),
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((parts) => ['/reports', ...parts.map(segmentOf)].join('/'))
  await fc.assert(
    fc.asyncProperty(methods, paths, async (method, path) => {
      const { status, headers } = await send(ann, { method, path, headers: {} })
      t.true(status < 500, `${method} ${path} ${status}`)
      if (status === 405) t.truthy(headers.get('allow'))
    }),
    settings(200),
  )
  t.is(index.log.length, 0)
})

test('no operation with another partner’s ids and cursors shows or changes its data', async (t) => {
  const { index, ann, bob } = await open(t)
  const { ids, cursor, etag, picture } = await own(index, ann)
  await added(t, bob, 'http://b.example/')
  const stateOf = async () => [
    await (await ann.list('?expand=1')).text(),
    await (await ann.ask('GET', `/reports/imports/${ids[1]}`)).text(),
    (await fetch(picture)).status,
  ]
  const before = await stateOf()
  const secrets = [...ids, ann.id, ann.keyId, 'Site A', picture]
  const known = { ids, cursors: [cursor] }
  const theirs = Object.fromEntries(
    Object.entries(index.document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, pinned(operation, etag)]),
      ),
    ]),
  )
  const wishes = allWishes(theirs, known).filter(
    ({ path }) => ids.some((id) => path.includes(id)) || path.startsWith('/reports?'),
  )
  await fc.assert(
    fc.asyncProperty(wishes, async (wish) => {
      const answer = await send(bob, wish)
      const text = await answer.text()
      // What the caller said itself may be repeated to it.
      const told = secrets.filter(
        (secret) => text.includes(secret) && !decodeURIComponent(wish.path).includes(secret),
      )
      t.deepEqual(told, [], `${wish.method} ${wish.path}`)
      const isItem = ids.some((id) => new URL(wish.path, index.site).pathname.split('/').includes(id))
      if (isItem) t.true([400, 404].includes(answer.status), `${wish.method} ${wish.path} ${answer.status}`)
      if (isItem && answer.status === 400) t.regex(text, /ERR_PARAMETER/)
    }),
    settings(600),
  )
  t.deepEqual(await stateOf(), before)
})

/** The operation with a state that the other partner's website has. */
function pinned(operation: Operation, etag: string): Operation {
  return {
    ...operation,
    parameters: operation.parameters?.map((parameter) =>
      parameter.name.startsWith('If-')
        ? { ...parameter, schema: { enum: [etag, '*'] } as Schema }
        : parameter,
    ),
  }
}
