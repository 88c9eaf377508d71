import test from 'ava'
import { type PullIo, type PullSite, pullRun } from '../src/cli/pull-run.ts'
import { sinceOf } from '../src/cli/webhooks-pull.ts'
import { MembershipError } from '../src/errors.ts'
import type { PulledEvent } from '../src/webhooks/pull.ts'

const event = (id: string, second: number, outcome: PulledEvent['outcome'] = 'processed'): PulledEvent => ({
  event_id: id,
  type: 'x',
  occurred_at: new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString(),
  outcome,
})

/** A site whose pulls end as written, one after another; after the last it is told to finish. */
const scripted = (rounds: (readonly PulledEvent[] | Error)[]) => {
  const finish = new AbortController()
  const sinces: string[] = []
  const waits: number[] = []
  const shown: string[] = []
  const troubles: string[] = []
  const retries: (boolean | undefined)[] = []
  const site: PullSite = {
    webhooks: {
      async *pull(_key, since, options) {
        sinces.push(since.toISOString())
        retries.push(options.retryFailed)
        const round = rounds.shift() ?? []
        if (round instanceof Error) throw round
        yield* round
      },
    },
  }
  const io: PullIo = {
    event: ({ event_id, outcome }) => shown.push(`${event_id} ${outcome}`),
    trouble: (message, ms) => troubles.push(`${message} ${ms}`),
    finish: finish.signal,
    wait: async (ms) => {
      waits.push(ms)
      if (rounds.length === 0) finish.abort()
    },
  }
  return { site, io, sinces, waits, shown, troubles, retries }
}
const since = new Date('2026-03-01T10:00:00Z')
const plan = { provider: 'acme', since, followMs: 2000 }

test('following begins each time a minute before the newest event, and tells what is new once', async (t) => {
  const run = scripted([
    [event('b', 30), event('a', 10)],
    [event('c', 50), event('b', 30, 'duplicate')],
    [event('c', 50, 'duplicate')],
  ])
  const summary = await pullRun(run.site, plan, run.io)
  t.deepEqual(run.sinces, [
    '2026-03-01T10:00:00.000Z',
    '2026-03-01T11:59:30.000Z',
    '2026-03-01T11:59:50.000Z',
  ])
  t.deepEqual(run.shown, ['b processed', 'a processed', 'c processed'])
  t.deepEqual(run.waits, [2000, 2000, 2000])
  t.like(summary, { read: 3, applied: 3, known: 0 })
})

test('what failed once is left to its own time while following', async (t) => {
  const run = scripted([[event('a', 1, 'kept')], [event('a', 1, 'duplicate')]])
  const summary = await pullRun(run.site, plan, run.io)
  t.deepEqual(run.retries, [true, false])
  t.like(summary, { read: 1, failed: 1 })
})

test('a provider that is down or limits us is asked less often, once complained about, and not given up', async (t) => {
  const down = () => new MembershipError('ERR_PROVIDER_ANSWER', 'no answer')
  const limited = new MembershipError('ERR_PROVIDER_ANSWER', 'status 429', { retryAfterSeconds: 20 })
  const run = scripted([[event('a', 10)], down(), down(), limited, down(), down(), [event('b', 20)], []])
  const summary = await pullRun(run.site, plan, run.io)
  t.deepEqual(run.waits, [2000, 4000, 8000, 20_000, 40_000, 60_000, 2000, 2000])
  t.deepEqual(run.troubles, ['no answer 4000'])
  t.true(run.sinces.slice(1, 7).every((at) => at === '2026-03-01T11:59:10.000Z'))
  t.is(summary.applied, 2)
})

test('an error in the middle of a pull loses nothing: the next one begins where this one did', async (t) => {
  const site: PullSite = {
    webhooks: {
      async *pull(_key, from) {
        sinces.push(from.toISOString())
        yield event(`n${sinces.length}`, 50)
        if (sinces.length === 1) throw new TypeError('fetch failed')
      },
    },
  }
  const sinces: string[] = []
  const { io } = scripted([[], []])
  const finish = new AbortController()
  await pullRun(site, plan, {
    ...io,
    finish: finish.signal,
    wait: async () => {
      if (sinces.length === 2) finish.abort()
    },
  })
  t.deepEqual(sinces, ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'])
})

test('what waiting does not mend ends the run', async (t) => {
  for (const code of [
    'ERR_CONFIG',
    'ERR_USAGE',
    'ERR_PROVIDER_UNKNOWN',
    'ERR_PROVIDER_UNSUPPORTED',
  ] as const) {
    const run = scripted([new MembershipError(code, 'no')])
    await t.throwsAsync(pullRun(run.site, plan, run.io), { message: 'no' })
  }
  const once = scripted([new MembershipError('ERR_PROVIDER_ANSWER', 'down')])
  await t.throwsAsync(pullRun(once.site, { provider: 'acme', since }, once.io), { message: 'down' })
})

test('since is so many days, hours or minutes ago, or a date', (t) => {
  const ago = (text: string) => Math.round((Date.now() - sinceOf(text).getTime()) / 60_000)
  t.deepEqual([ago('3d'), ago('12h'), ago('30m')], [4320, 720, 30])
  t.is(sinceOf('2026-03-01').toISOString(), '2026-03-01T00:00:00.000Z')
  t.is(sinceOf('2026-03-01T06:00:00+02:00').toISOString(), '2026-03-01T04:00:00.000Z')
  for (const text of ['', '3', '3w', '-3d', 'yesterday', '1', '2026', '99999-01-01', '2999-01-01', '3d3h'])
    t.throws(() => sinceOf(text), undefined, text)
})
