import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import type { BrandConfig } from '../../src/core/brand.ts'
import { assetAddress, assets, pageBrand } from '../../src/core/pages/assets.ts'

const none = { accent: null, background: null, text: null } as unknown as BrandConfig['colors']
const brand: BrandConfig = {
  logo: '/logo.svg',
  stylesheet: null,
  colors: none,
  dark: none,
  fonts: { text: 'Georgia', headings: null, interface: null },
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Loads below `/a` by Node's own client, which adds no header and unpacks nothing. */
async function serve(t: ExecutionContext) {
  const server = createServer(new Koa().use(assets('/a', brand)).callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return async (path: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const asking = request({ host: '127.0.0.1', port, path, headers, agent: false })
    const [answer] = await once(asking.end(), 'response')
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk)
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }
  }
}

test('an address with the version of its file is kept for a year, any other for an hour', async (t) => {
  const load = await serve(t)
  const kept = async (path: string) => (await load(path)).headers['cache-control']
  t.is(await kept(`/a/${assetAddress('site.css')}`), 'public, max-age=31536000, immutable')
  t.is(await kept(`/a/${pageBrand(brand).file}`), 'public, max-age=31536000, immutable')
  t.is(await kept('/a/site.css'), 'public, max-age=3600')
  t.is(await kept('/a/site.css?v=before'), 'public, max-age=3600', 'linked by a page of another version')
  t.is(assetAddress('unknown.css'), 'unknown.css')
})

test('a file is packed for who takes gzip, and each form has a tag of its own', async (t) => {
  const load = await serve(t)
  const plain = await load('/a/site.css')
  const packed = await load('/a/site.css', { 'accept-encoding': 'gzip, br' })
  t.is(packed.headers['content-encoding'], 'gzip')
  t.deepEqual(gunzipSync(packed.body), plain.body)
  t.true(packed.body.length < plain.body.length / 3, `${packed.body.length} of ${plain.body.length} bytes`)
  t.is(plain.headers['content-encoding'], undefined)
  t.is(plain.headers.vary, 'Accept-Encoding')
  const known = { 'if-none-match': packed.headers.etag! }
  t.is((await load('/a/site.css', { ...known, 'accept-encoding': 'gzip' })).status, 304)
  t.is((await load('/a/site.css', known)).status, 200)
})
