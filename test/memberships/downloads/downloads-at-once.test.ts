import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy } from '../../support/visitor.ts'

const text = 'The whole book, which is paid for. '.repeat(40)

async function open(t: ExecutionContext, more: MembershipOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'membership-downloads-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'book.pdf'), text)
  const opened = await openStripeSite(t, {
    'membership.files.folder': folder,
    'membership.secret': 'x'.repeat(32),
    'membership.url': 'http://localhost',
    'membership.providers.stripe.plans': {
      pro: { group: 'membership', prices: ['price_month'], quantity: { max: 5 } },
      book: {
        prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }],
        limits: { downloads: { amount: 7, every: 'once' } },
      },
    },
    ...more,
  } as MembershipOptions)
  return opened
}

test('fifty links at once over two processes take exactly what the purchase has, and ranges of one link take one', async (t) => {
  const opened = await open(t)
  const { m } = opened
  const { user } = await buy(opened, 'ann@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  const second = await opened.another()
  const sites = [opened.site, second.site]
  // Links differ by their lifetime, so each counts for itself.
  const links = Array.from({ length: 50 }, (_, n) =>
    m.files.url(user, 'book.pdf', { gate: 'book', limit: 'downloads', minutes: 10 + n }),
  )
  const at = (link: string, n: number, headers: Record<string, string> = {}) =>
    fetch(sites[n % 2] + new URL(link).pathname, { headers }).then(async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    })
  const first = await Promise.all(
    Array.from({ length: 30 }, (_, n) => at(links[0]!, n, { range: `bytes=${n}-${n + 9}` })),
  )
  t.deepEqual(new Set(first), new Set([206]))
  t.is((await m.users.findById(user.id))!.limit('downloads').left, 6)
  const all = await Promise.all(links.map((link, n) => at(link, n)))
  t.deepEqual(
    [200, 402].map((status) => all.filter((item) => item === status).length),
    [7, 43],
  )
  t.is((await m.users.findById(user.id))!.limit('downloads').left, 0)
  const again = await Promise.all(links.map((link, n) => at(link, n)))
  t.deepEqual(again, all, 'the same links open, and no other')
})
