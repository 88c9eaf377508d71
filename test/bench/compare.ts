import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { createMembership } from '../../src/index.ts'
import { stripe } from '../../src/providers/stripe/index.ts'
import { ratio, report, table } from './report.ts'

/** One account after the other, each compared whole with books that are equal: requests, time, and what memory it takes. */
export async function benchCompare(
  address: (name: string) => string | Promise<string>,
  sizes: readonly number[],
): Promise<void> {
  const compared: Compared[] = []
  for (const size of sizes) compared.push(await compareWhole(await address(`compare-${size}`), size))
  const { requests: limit, seconds: per } = stripe.rate!
  const within = (requests: number, share: number) =>
    `${Math.round((requests * per) / (limit * share) / 60)} min`
  const each = ({ seconds, size }: Compared) => seconds / size
  report(
    'compare',
    'An account compared with equal books',
    table(
      compared,
      {
        'open subscriptions': ({ size }) => size,
        objects: ({ checked }) => checked,
        requests: ({ requests }) => requests,
        "by hand, a fifth of Stripe's limit": ({ requests }) => within(requests, 0.2),
        'by itself, a tenth': ({ requests }) => within(requests, 0.1),
        [`time of one, of one among ${sizes[0]}`]: (row) => ratio(each(row) / each(compared[0]!)),
        'heap before and at most': ({ before, most }) => `${before.heap} and ${most.heap} MB`,
        'process before and at most': ({ before, most }) => `${before.resident} and ${most.resident} MB`,
      },
      {
        'seconds without a limit': ({ seconds }) => seconds.toFixed(0),
        'requests/s': ({ requests, seconds }) => (requests / seconds).toFixed(0),
      },
    ),
  )
}

interface Compared {
  readonly size: number
  readonly checked: number
  readonly requests: number
  readonly seconds: number
  readonly before: ReturnType<typeof memory>
  readonly most: ReturnType<typeof memory>
}

async function compareWhole(url: string, size: number): Promise<Compared> {
  const file = join(import.meta.dirname, 'compare-api.ts')
  const api = spawn(process.execPath, ['--import', 'tsx', file, String(size)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface({ input: api.stdout }), 'line')) as [string]
    const { url: apiUrl, secret, now } = JSON.parse(line) as { url: string; secret: string; now: string }
    const m = await createMembership({
      'membership.database.url': url,
      'membership.database.synchronous': 'normal',
      'membership.providers.stripe': { secret, api_base: apiUrl, webhook: 'whsec_of_the_bench' },
      'membership.compare.automatic': false,
      install: false,
      root: false,
      now: () => new Date(now),
      log: () => {},
    })
    await m.operator.import({ provider: 'stripe', write: true })
    const asked = async () => Number(await (await fetch(`${apiUrl}/requests`)).text())
    const [before, from, began] = [memory(), await asked(), performance.now()]
    const most = { ...before }
    const { checked, differences } = await m.operator.compare({
      provider: 'stripe',
      onProgress: () => {
        const { heap, resident } = memory()
        most.heap = Math.max(most.heap, heap)
        most.resident = Math.max(most.resident, resident)
      },
    })
    const seconds = (performance.now() - began) / 1000
    const requests = (await asked()) - from - 1
    await m.close()
    if (differences.length > 0)
      throw new Error(`${differences.length} differ: ${JSON.stringify(differences[0])}`)
    return { size, checked, requests, seconds, before, most }
  } finally {
    api.kill()
  }
}

function memory() {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: Math.round(heapUsed / 1e6), resident: Math.round(rss / 1e6) }
}
