import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type PullIo, type PullSite, pullRun } from '../src/cli/pull-run.ts'
import { sinceOf } from '../src/cli/webhooks-pull.ts'
import { MembershipError } from '../src/core/errors.ts'
import type { PulledEvent } from '../src/memberships/webhooks/pull.ts'
import { command, runCommand } from './support/command.ts'
import { eventListKey, startEventList } from './support/fake-event-list.ts'
import { emptyFolder } from './support/migrate.ts'
import { stripeEvent, subscriptionObject } from './support/stripe-events.ts'

function event(id: string, second: number, outcome: PulledEvent['outcome'] = 'processed'): PulledEvent {
  return {
    event_id: id,
    type: 'x',
    occurred_at: new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString(),
    outcome,
  }
}

/** A site whose pulls end as written, one after another; after the last it is told to finish. */
function scripted(rounds: (readonly PulledEvent[] | Error)[]) {
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

test('following begins each time a minute before the newest event, and reports new events once', async (t) => {
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

test('a failed event waits for its own retry while following', async (t) => {
  const run = scripted([[event('a', 1, 'kept')], [event('a', 1, 'duplicate')]])
  const summary = await pullRun(run.site, plan, run.io)
  t.deepEqual(run.retries, [true, false])
  t.like(summary, { read: 1, failed: 1 })
})

test('a provider that is down or limits requests is asked less often, reported once, and not given up', async (t) => {
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

test('an error that waiting does not fix ends the run', async (t) => {
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

test('since accepts a number of days, hours or minutes ago, or a date', (t) => {
  const ago = (text: string) => Math.round((Date.now() - sinceOf(text).getTime()) / 60_000)
  t.deepEqual([ago('3d'), ago('12h'), ago('30m')], [4320, 720, 30])
  t.is(sinceOf('2026-03-01').toISOString(), '2026-03-01T00:00:00.000Z')
  t.is(sinceOf('2026-03-01T06:00:00+02:00').toISOString(), '2026-03-01T04:00:00.000Z')
  for (const text of ['', '3', '3w', '-3d', 'yesterday', '1', '2026', '99999-01-01', '2999-01-01', '3d3h'])
    t.throws(() => sinceOf(text), undefined, text)
})

const pull = [...command, 'webhooks', 'pull']
function environment() {
  const { NODE_ENV: _, DATABASE_URL: __, ...inherited } = process.env
  return inherited
}
function run(cwd: string, ...args: string[]) {
  return runCommand(cwd, ['webhooks', 'pull', ...args])
}

/** Events of the last hour, and a site that may ask for them. */
async function siteWithEvents(t: ExecutionContext, count: number) {
  const second = Math.floor(Date.now() / 1000) - 3600
  const events = Array.from({ length: count }, (_, i) =>
    stripeEvent(
      'customer.subscription.updated',
      subscriptionObject({ id: `sub_${i}`, customer: `cus_${i}` }),
      { id: `evt_c${i}`, created: second + i },
    ),
  )
  const list = await startEventList(t, events)
  const folder = await emptyFolder(t)
  const stripe = { secret: eventListKey, api_base: list.url, webhook: 'whsec_1' }
  mkdirSync(join(folder, 'config'))
  writeFileSync(
    join(folder, 'config/membership.json'),
    JSON.stringify({ membership: { provider: { handler: 'stripe' }, providers: { stripe, sandbox: {} } } }),
  )
  return { folder, events, list, second }
}

test.serial('the command prints a line for each applied event and a summary', async (t) => {
  const { folder } = await siteWithEvents(t, 3)
  const first = await run(folder, '--provider', 'stripe', '--since', '2h')
  t.is(first.code, 0, first.stderr)
  const lines = first.stdout.trim().split('\n')
  t.is(lines.filter((line) => /applied {5}customer.subscription.updated {2}evt_c\d$/.test(line)).length, 3)
  t.regex(
    lines.at(-1)!,
    /^Read 3 events since .*: 3 applied, 0 known already, 0 not needed, 0 held back, 0 failed\.$/,
  )
  const second = await run(folder, '--provider', 'stripe', '--since', '2h', '--json')
  const json = second.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  t.deepEqual(
    json.slice(0, 3).map(({ outcome }) => outcome),
    ['duplicate', 'duplicate', 'duplicate'],
  )
  t.like(json.at(-1), { summary: { read: 3, applied: 0, known: 3, not_needed: 0, held: 0, failed: 0 } })
})

test.serial(
  'without --provider every provider that keeps past events is asked, as docs/after-a-restore.md prints it',
  async (t) => {
    const { folder } = await siteWithEvents(t, 2)
    const { code, stdout, stderr } = await run(folder, '--since', '2d')
    t.is(code, 0, stderr)
    t.regex(stdout, /Read 2 events since .*: 2 applied/)
    const followed = await run(folder, '--follow')
    t.is(followed.code, 1)
    t.regex(followed.stderr, /--follow needs one provider/)
  },
)

test.serial('an event that cannot be applied is reported, and the exit code is 1', async (t) => {
  const { folder, events } = await siteWithEvents(t, 2)
  Object.assign(events[0]!, { type: null })
  const { code, stdout, stderr } = await run(folder, '--provider', 'stripe')
  t.is(code, 1)
  t.regex(stderr, /unreadable/)
  t.regex(stdout, /1 applied.*1 failed/)
})

test.serial('errors of the command name what to do, and exit with 1', async (t) => {
  const { folder } = await siteWithEvents(t, 1)
  for (const [args, words] of [
    [['--provider', 'stripes'], /No provider "stripes"; configured: stripe, sandbox[\s\S]*→ /],
    [['--provider', 'stripe', '--since', '31d'], /Stripe keeps events for 30 days[\s\S]*→ /],
    [['--provider', 'stripe', '--since', 'soon'], /Give 3d, 12h, 30m/],
  ] as const) {
    const { code, stderr } = await run(folder, ...args)
    t.is(code, 1)
    t.regex(stderr, words)
    t.notRegex(stderr, /do_not_print/)
  }
})

test.serial(
  'following reports new events until it is interrupted, through an outage of the API',
  async (t) => {
    const { folder, events, list, second } = await siteWithEvents(t, 1)
    const child = spawn(
      process.execPath,
      [...pull, '--provider', 'stripe', '--since', '2h', '--follow', '--every', '1'],
      { cwd: folder, env: environment() },
    )
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    const until = async (words: RegExp) => {
      for (let i = 0; i < 1200 && !words.test(out + err); i++)
        await new Promise((next) => setTimeout(next, 100))
      t.regex(out + err, words)
    }
    await until(/evt_c0/)
    list.failures.push(400, 400)
    await until(/Asked again in 2 s/)
    const object = subscriptionObject({ id: 'sub_new', customer: 'cus_new' })
    events.push(
      stripeEvent('customer.subscription.updated', object, { id: 'evt_new', created: second + 100 }),
    )
    await until(/evt_new/)
    child.kill('SIGINT')
    const [code] = (await once(child, 'close')) as [number]
    t.is(code, 0)
    t.regex(out, /Read 2 events since .*: 2 applied/)
    t.is(out.match(/evt_c0/g)?.length, 1)
  },
)
