import type { FakeStripe } from '../../src/testkit/index.ts'
import { must, mustBeCancelled, type Walked } from './walk.ts'

/**
 * Walks a script that begins a purchase when it runs first, and cancels it when it runs again: what the
 * provider tells in between it has to ask for.
 * @throws with what is not as it must be
 */
export async function walkScript(fake: FakeStripe, run: () => Promise<string>): Promise<Walked> {
  const first = await run()
  must(/^false$/m.test(first), `a visitor passed the gate: ${first}`)
  const [url] = first.match(/^http\S+$/m) ?? []
  must(url?.startsWith(fake.url) === true, `a purchase led to ${url}: ${first}`)
  await fake.pay(new URL(url!).pathname.split('/').at(-1)!, { email: 'ada@example.com' })
  const second = await run()
  must(/^processed$/m.test(second), `nothing was taken in: ${second}`)
  must(/^true$/m.test(second), `the buyer did not pass the gate: ${second}`)
  mustBeCancelled(fake)
  return { events: true, gate: true, sells: true }
}
