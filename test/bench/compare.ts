import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { createMembership } from '../../src/index.ts'
import { stripe } from '../../src/providers/stripe/index.ts'

/** One account after the other, each compared whole with books that are equal: requests, time, and what memory it takes. */
export const benchCompare = async (
  address: (name: string) => string | Promise<string>,
  sizes: readonly number[],
): Promise<void> => {
  const rows: string[] = []
  for (const size of sizes) rows.push(await row(await address(`compare-${size}`), size))
  console.log(
    [
      '\n### An account compared with equal books\n',
      '| subscriptions | objects | requests | time without a limit | a second of it asks | within a fifth of the limit (by hand) | within a tenth (by itself) | heap before, at most | resident before, at most |',
      '|---|---|---|---|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
  )
}

const row = async (url: string, size: number): Promise<string> => {
  const api = spawn('npx', ['tsx', 'test/bench/compare-api.ts', String(size)], {
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
    const { requests: limit, seconds: per } = stripe.rate!
    const within = (share: number) => `${Math.round((requests * per) / (limit * share) / 60)} min`
    return `| ${size} | ${checked} | ${requests} | ${seconds.toFixed(0)} s | ${(requests / seconds).toFixed(0)} | ${within(0.2)} | ${within(0.1)} | ${before.heap}, ${most.heap} MB | ${before.resident}, ${most.resident} MB |`
  } finally {
    api.kill()
  }
}

const memory = () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: Math.round(heapUsed / 1e6), resident: Math.round(rss / 1e6) }
}
