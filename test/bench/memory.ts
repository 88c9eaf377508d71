import { createMembership } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { benchEvent, customers, secret } from './events.ts'
import { report } from './report.ts'

/** What stays in memory after so many events. */
export async function benchMemory(file: string, count: number): Promise<void> {
  const m = await createMembership({
    'membership.database.url': `sqlite:${file}`,
    'membership.database.synchronous': 'normal',
    'membership.providers.stripe.webhook': secret,
    install: false,
    root: false,
    log: () => {},
  })
  const apply = async (from: number, to: number) => {
    for (let i = from; i < to; i += 64)
      await Promise.all(
        Array.from({ length: Math.min(64, to - i) }, (_, k) =>
          m.webhooks.receive(
            'stripe',
            signed(
              'stripe',
              benchEvent(`evt_${i + k}`, (i + k) % customers, Math.floor((i + k) / customers) + 1),
              { secret },
            ),
          ),
        ),
      )
  }
  const heap = () => {
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    return { heap: Math.round(heapUsed / 1e6), rss: Math.round(rss / 1e6) }
  }
  await apply(0, 5000)
  const before = heap()
  await apply(5000, count)
  const after = heap()
  await m.close()
  report(
    'memory',
    'Memory',
    `After 5000 events, the heap had ${before.heap} MB and the process ${before.rss} MB. After ${count}, it was ${after.heap} and ${after.rss} MB.`,
  )
}
