import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { startSite } from '../../../src/site/runtime/start.ts'

const paths = [
  '/',
  '/pricing',
  '/pricing?every=year',
  '/account',
  '/membership/login',
  '/membership/order?plan=pro&price=pro_yearly&redirect=/account',
  '/membership/gift/pro',
  '/membership/cancel',
]

test('a page weighs at most 60 kB with its styles and drawings, uncompressed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-weights-'))
  const site = await startSite({
    folder,
    databaseUrl: `sqlite:${join(folder, 'demo.db')}`,
    port: 0,
    host: '127.0.0.1',
    log: () => {},
  })
  t.teardown(async () => {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  })
  const load = async (path: string): Promise<string> => {
    const answer = await fetch(new URL(path, site.url), { headers: { accept: '*/*' } })
    t.is(answer.status, 200, path)
    return answer.text()
  }
  const weigh = (text: string): number => Buffer.byteLength(text)
  for (const path of paths) {
    const page = await load(path)
    const linked = [...page.matchAll(/<link rel="(?:stylesheet|icon)" href="([^"]+)"/g)].map(([, to]) => to!)
    t.true(linked.length >= 2, path)
    // The demo's own sheet is not counted, with its typeface and its bar: no other site loads it.
    const texts = await Promise.all(linked.filter((to) => !to.includes('/neap.css')).map(load))
    // The style sheet draws the line of the tide.
    const drawing = await load('/membership/assets/tideline.svg')
    const sum = [page, ...texts, drawing].reduce((total, text) => total + weigh(text), 0)
    t.true(sum <= 60_000, `${path}: ${sum} bytes`)
    t.notRegex(page, /<script(?! type="application\/ld\+json")/, path)
  }
})
