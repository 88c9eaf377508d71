import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { createMembership } from '../../src/index.ts'
import { pinged, startAskedApi } from '../support/asked-providers.ts'
import { own } from '../support/own-providers.ts'
import { percentile } from './events.ts'
import { onlyAbsolute, report } from './report.ts'

const truly = 5000
const madeUp = 2000
const minutes = 10
const stepMs = 2000
// The site counts anew what waits for a stranger after two seconds of the machine's own clock, and takes sixty until then.
const leastStepMs = 300
const steps = (minutes * 60_000) / stepMs

/**
 * Ten minutes of a renewal day, by a clock that is moved: true pings from two addresses about objects that
 * the site has never seen, each pinged twice; then the same again beside made-up ones from a third address.
 */
export async function benchPings(url: string): Promise<void> {
  const api = await startAskedApi()
  for (let n = 0; n < truly / 2; n++)
    api.objects.set(`sub_${n}`, {
      id: `sub_${n}`,
      email: `m${n}@example.com`,
      price: 'price_1',
      status: 'active',
    })
  const site = await openSite(url, api.url)
  const isTrue = (n: number) => site.ping(`sub_${n >> 1}`, n % 2 === 0 ? '127.0.0.1' : '127.0.0.2')
  const isMadeUp = (n: number) => site.ping(`none_${n}`, '127.0.0.3')
  try {
    const began = performance.now()
    const alone: number[] = []
    for (let step = 0; step < steps; step++) {
      const next = pause(leastStepMs)
      alone.push(...(await Promise.all(numbersOf(truly, step).map(isTrue))))
      await site.workOn()
      await next
    }
    const took = (performance.now() - began) / 1000
    const times = site.times.toSorted((a, b) => a - b)
    const questions = api.asked.length
    const left = await site.waiting()
    const beside: number[] = []
    const invented: number[] = []
    for (let step = 0; step < steps; step++) {
      const [yes, no] = await Promise.all([
        Promise.all(numbersOf(truly, step).map(isTrue)),
        Promise.all(numbersOf(madeUp, step).map(isMadeUp)),
      ])
      beside.push(...yes)
      invented.push(...no)
      await site.workOn()
    }
    const asked = api.asked.filter((id) => id.startsWith('none_')).length
    const refused = (statuses: readonly number[], by = (status: number) => status !== 200) =>
      statuses.filter(by).length
    report(
      'pings',
      `${truly} true pings in ${minutes} minutes, from two addresses`,
      `With the true pings alone ${refused(alone)} were refused, and ${refused(beside)} beside ${madeUp} made-up ones from a third address. The provider was asked ${questions} times for ${truly / 2} objects, and ${asked} times for what was made up. At most ${api.mostAtOnce} question was open for one object. Of the made-up pings, ${refused(invented, (status) => status === 429)} were answered 429. ${left} objects still waited at the end.`,
      ...onlyAbsolute(
        `A ping was answered in ${percentile(times, 0.5).toFixed(1)} ms, 99 of 100 within ${percentile(times, 0.99).toFixed(1)}. The ten minutes took ${took.toFixed(0)} s of this machine.`,
      ),
    )
    if (refused(alone) + refused(beside) > 0) throw new Error('true pings were refused')
    if (api.mostAtOnce > 1) throw new Error('an object was asked for twice at once')
    if (asked > mostAskedInVain) throw new Error('what was made up had the provider asked too often')
  } finally {
    await site.close()
    await api.close()
  }
}

// 60 a minute from whom nobody vouches for, and what is under way when a minute begins.
const mostAskedInVain = 60 * minutes + 60

/** Which of so many things, spread over the minutes, come in this step. */
function numbersOf(all: number, step: number): number[] {
  const [from, to] = [Math.floor((all * step) / steps), Math.floor((all * (step + 1)) / steps)]
  return Array.from({ length: to - from }, (_, n) => from + n)
}

async function openSite(url: string, api: string) {
  let now = new Date('2026-03-01T00:00:00Z')
  const m = await createMembership({
    'membership.database.url': url,
    ...own({ 'membership.providers.pinged': { api } }),
    customProviders: [pinged],
    install: false,
    'membership.compare.automatic': false,
    root: false,
    now: () => now,
    log: () => {},
  })
  const server = createServer(m.listener()).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const { port } = server.address() as AddressInfo
  const times: number[] = []
  const to = { port, host: '127.0.0.1', method: 'POST', path: '/membership/webhooks/pinged' }
  const ping = (id: string, localAddress: string): Promise<number> =>
    new Promise((done, failed) => {
      const from = performance.now()
      const sent = request({ ...to, localAddress }, (response) => {
        times.push(performance.now() - from)
        response.resume().on('end', () => done(response.statusCode ?? 0))
      })
      sent.on('error', failed).end(`id=${id}`)
    })
  const workOn = async (): Promise<void> => {
    await m.runDueJobs()
    now = new Date(now.getTime() + stepMs)
  }
  const waiting = async (): Promise<number> =>
    (await m.storage.read((db) => db.selectFrom('fetches').select('id'))).length
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await m.close()
  }
  return { ping, times, workOn, waiting, close }
}
