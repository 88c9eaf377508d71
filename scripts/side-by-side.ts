// npm run beside -- FOLDER: FOLDER is a worktree of a former version with its packages. One process of that version and
// one of this work at one database, as for the length of a deploy: the former one has made the database, this one has
// migrated it, and each does half of everything, price raises too. It prints what each did, and fails where one of them failed or they
// disagree. `--database sqlite|postgres` takes one database.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { MembershipOptions } from '../src/index.ts'
import { createFakeStripe } from '../src/testkit/index.ts'
import { allDatabases } from '../test/support/databases.ts'
import { createVisitor } from '../test/support/visitor.ts'

const webhookSecret = 'whsec_beside'

interface Call {
  readonly id: number
  /** The time of the site. */
  readonly now: string
  /** Such as `users.merge`; `mails` returns the mails that were sent since the last time. */
  readonly call: string
  /** `{ $user: id }` stands for a loaded member. */
  readonly args: readonly unknown[]
}
interface Mail {
  readonly to: string
  readonly kind: string
  readonly text: string
}

/** A process of one version. It reads calls and prints their results. */
async function serve(folder: string, text: string): Promise<void> {
  const { createMembership } = (await import(
    pathToFileURL(join(folder, 'src/index.ts')).href
  )) as typeof import('../src/index.ts')
  const { options, port } = JSON.parse(text) as { options: MembershipOptions; port: number }
  let now = new Date()
  const mails: Mail[] = []
  const logged: string[] = []
  const m = await createMembership({
    ...options,
    mails: {
      transport: async ({ to, kind, text }: Mail) => {
        mails.push({ to, kind, text })
      },
    },
    now: () => now,
    log: (message, details) => logged.push(`${message} ${JSON.stringify(details ?? {})}`),
  } as MembershipOptions)
  createServer(m.listener()).listen(port, '127.0.0.1')
  console.log('"ready"')
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, now: at, call, args } = JSON.parse(line) as Call
    now = new Date(at)
    const answer = async (): Promise<unknown> => {
      if (call === 'mails') return mails.splice(0)
      if (call === 'log') return logged.splice(0)
      if (call === 'clock') return null
      if (call === 'access') {
        const user = await m.users.findByEmail(String(args[0]))
        return user === null
          ? null
          : {
              id: user.id,
              pro: user.hasGate('pro'),
              left: user.limit('exports' as never).left,
              paid: user.payments().map((payment) => [payment.id, payment.status, payment.amount_refunded]),
            }
      }
      if (call === 'refund') {
        const user = await m.users.findByEmail(String(args[0]))
        return void (await m.payments.refund({ payment: user!.payments()[0]!, amount: Number(args[1]) }))
      }
      const given = []
      for (const value of args) given.push(await loaded(value))
      const path = call.split('.')
      const name = path.pop()!
      const on = path.reduce(
        (of, key) => of[key] as Record<string, unknown>,
        m as unknown as Record<string, unknown>,
      )
      const result = await (on[name] as (...all: unknown[]) => unknown).apply(on, given)
      // A member has no form in JSON.
      return result instanceof Object && 'hasGate' in result
        ? { id: String((result as { id?: unknown }).id) }
        : (result ?? null)
    }
    const loaded = async (value: unknown): Promise<unknown> => {
      if (!(value instanceof Object) || Array.isArray(value)) return value
      if ('$user' in value) return m.users.findById(String(value.$user))
      const entries = await Promise.all(
        Object.entries(value).map(async ([key, item]) => [key, await loaded(item)]),
      )
      return Object.fromEntries(entries)
    }
    const said = await answer().then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, error: String((error as { code?: string }).code ?? error) }),
    )
    console.log(JSON.stringify(said))
  }
  await m.close()
  process.exit(0)
}

async function start(name: string, folder: string, given: object, now: () => Date) {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(import.meta.url), 'serve', folder, JSON.stringify(given)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const waiting = new Map<number, (said: { result?: unknown; error?: string }) => void>()
  let begun: () => void = () => {}
  const ready = new Promise<void>((done) => {
    begun = done
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as 'ready' | { id: number; result?: unknown; error?: string }
    if (said === 'ready') begun()
    else waiting.get(said.id)?.(said)
  })
  await Promise.race([
    ready,
    once(child, 'exit').then(() => {
      throw new Error(`the process of ${name} did not start`)
    }),
  ])
  let calls = 0
  const ask = async <T>(call: string, ...args: readonly unknown[]): Promise<T> => {
    const id = ++calls
    const said = new Promise<{ result?: unknown; error?: string }>((done) => waiting.set(id, done))
    child.stdin.write(`${JSON.stringify({ id, now: now().toISOString(), call, args } satisfies Call)}\n`)
    const { result, error } = await said
    if (error !== undefined) throw new Error(`${name}: ${call}: ${error}`)
    return result as T
  }
  const stop = async () => {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  }
  return { name, ask, stop }
}
type Process = Awaited<ReturnType<typeof start>>

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const plans = {
  pro: {
    seats: 5,
    limits: { exports: { amount: 100, every: 'month' } },
    prices: [
      { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' },
      { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' },
      { id: 'price_gift', amount: 9000, currency: 'EUR', gives: { plan: 'pro', months: 12 } },
    ],
  },
}

/** Two processes live with one database. Returns the differences that were found. */
async function live(url: string, folder: string): Promise<readonly string[]> {
  const ports = [await freePort(), await freePort()]
  const sites = ports.map((port) => `http://127.0.0.1:${port}`)
  const fake = await createFakeStripe({ seed: 1, start: new Date('2026-01-15T12:00:00Z') })
  fake.addPrice({ id: 'price_month', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  fake.addPrice({
    id: 'price_new',
    product: 'price_month',
    unit_amount: 1200,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  fake.addPrice({ id: 'price_gift', unit_amount: 9000, currency: 'eur' })
  const options = (site: string) => ({
    'membership.url': site,
    'membership.secret': 's'.repeat(40),
    'membership.database.url': url,
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe.secret': fake.secret,
    'membership.providers.stripe.webhook': webhookSecret,
    'membership.providers.stripe.api_base': fake.url,
    'membership.providers.stripe.plans': plans,
    'membership.ratelimit.limit': 1_000_000,
    'membership.compare.automatic': false,
    install: false,
    root: false,
  })
  const now = () => fake.now()
  // The former version makes the database; this one migrates it below its feet.
  const before = await start('before', folder, { options: options(sites[0]!), port: ports[0] }, now)
  const after = await start('after', resolve('.'), { options: options(sites[1]!), port: ports[1] }, now)
  const both = [before, after]
  fake.sendTo({ url: `${sites[0]}/membership/webhooks/stripe`, secret: webhookSecret })
  const faults: string[] = []
  const done = new Map<string, number>()
  const count = (of: Process, what: string) =>
    done.set(`${of.name}: ${what}`, (done.get(`${of.name}: ${what}`) ?? 0) + 1)
  const expect = (holds: boolean, what: string) => {
    if (!holds) faults.push(what)
  }
  const mails: Mail[] = []
  let turn = 0
  /** Work of both, with messages in turns, until nothing is left. */
  const settle = async () => {
    for (let round = 0; round < 3; round++) {
      // Each call brings the time of the site.
      for (const one of both) await one.ask('clock')
      fake.sendTo({ url: `${sites[turn++ % 2]}/membership/webhooks/stripe`, secret: webhookSecret })
      await fake.deliver()
      for (const one of both) {
        await one.ask('runDueJobs')
        mails.push(...(await one.ask<Mail[]>('mails')))
      }
    }
  }
  interface Access {
    readonly id: string
    readonly pro: boolean
    readonly left: number
    readonly paid: readonly (readonly [string, string, number])[]
  }
  const accessOf = async (email: string, what: string): Promise<Access | null> => {
    const [first, second] = [
      await before.ask<Access | null>('access', email),
      await after.ask<Access | null>('access', email),
    ]
    expect(
      JSON.stringify(first) === JSON.stringify(second),
      `${what}: ${email} is ${JSON.stringify(first)} before, ${JSON.stringify(second)} after`,
    )
    return second
  }
  const create = async (by: Process, email: string): Promise<string> =>
    (await by.ask<{ id: string }>('users.create', { email, verified: true })).id
  const buy = async (by: Process, email: string): Promise<string> => {
    const id = await create(by, email)
    const { url: page } = await by.ask<{ url: string }>('checkout.start', {
      user: { $user: id },
      price: 'price_month',
    })
    await fake.pay(new URL(page).pathname.split('/').at(-1)!, { email })
    await settle()
    count(by, 'purchases')
    return id
  }
  const opens = async (email: string, what: string, is = true) => {
    const access = await accessOf(email, what)
    expect(access?.pro === is, `${what}: ${email} is ${access?.pro ? 'open' : 'closed'}`)
    return access
  }
  const logIn = async (site: string, email: string) => {
    const visitor = createVisitor(site)
    await visitor.send('/membership/login', { email })
    await settle()
    const text = mails.findLast((mail) => mail.to === email && mail.text.includes('/membership/login/'))?.text
    await visitor.send(/\/membership\/login\/\S+/.exec(text ?? '')?.[0] ?? '/')
    return visitor
  }

  const story = async (n: number, by: Process) => {
    const other = by === before ? after : before
    const at = (name: string) => `${name}${n}@example.com`
    await buy(by, at('ann'))
    await opens(at('ann'), 'a purchase')

    // A limit is one, whoever counts.
    const ann = (await accessOf(at('ann'), 'a limit'))!.id
    for (const one of [by, other, by]) {
      await one.ask('use', ann, 'exports', 30)
      count(one, 'uses')
    }
    expect((await accessOf(at('ann'), 'uses'))?.left === 10, 'a limit is counted twice, or not')

    // A refund is mailed once.
    await by.ask('refund', at('ann'), 300)
    await settle()
    count(by, 'refunds')

    // A merge by one version, taken back by the other.
    const kept = await create(other, at('kept'))
    await by.ask('users.merge', { keep: kept, merge: ann, by: 'op', write: true })
    count(by, 'merges')
    await settle()
    await opens(at('kept'), 'a merge')
    await other.ask('users.unmerge', { merged: ann, by: 'op' })
    count(other, 'merges taken back')
    await settle()
    await opens(at('ann'), 'a merge taken back')
    await opens(at('kept'), 'a merge taken back', false)
    expect((await accessOf(at('ann'), 'a limit after a merge'))?.left === 10, 'a merge gives a limit again')
    const refunds = mails.filter(({ kind, to }) => kind === 'refund' && to === at('ann')).length
    // 2.0.0-rc.1 mails a refund again when it takes a merge back.
    expect(refunds === 1 || other === before, `${refunds} mails about the refund of ${at('ann')}`)

    // Codes of gifts made by one version are redeemed at the other.
    const [gift] = await by.ask<{ code: string }[]>('gifts.create', { plan: 'pro', months: 1, count: 1 })
    const ben = await create(by, at('ben'))
    await other.ask('gifts.redeem', { code: gift!.code, user: { $user: ben } })
    count(other, 'gifts')
    await settle()
    await opens(at('ben'), 'a gift')

    // A seat is given by one version and taken at the other.
    await buy(by, at('boss'))
    const boss = await by.ask<{ id: string }>('users.findByEmail', at('boss'))
    const [subscription] = fake.objects
      .list('subscription')
      .filter(({ customer }) =>
        fake.objects.list('customer').some(({ id, email }) => id === customer && email === at('boss')),
      )
    await by.ask('groups.invite', { subscriptionId: subscription!.id, email: at('tom') })
    await settle()
    await create(by, at('tom'))
    const text = mails.filter(({ kind, to }) => kind === 'group-invitation' && to === at('tom')).at(-1)?.text
    const [, token] = /\/membership\/join\/(\S+)/.exec(text ?? '') ?? []
    const joined = await (await logIn(sites[by === before ? 1 : 0]!, at('tom'))).send(
      `/membership/join/${token}`,
    )
    expect(joined.status === 200, `a seat: ${joined.status} ${joined.text.slice(0, 200)}`)
    count(other, 'seats')
    await settle()
    await opens(at('tom'), 'a seat')

    // A renewal whose message goes to the other.
    await fake.advance({ days: 35 })
    await settle()
    await opens(at('boss'), 'a renewal')
    count(other, 'renewals')

    // A deletion: nothing names the person any more, whichever version asks.
    await by.ask('users.delete', boss.id)
    count(by, 'deletions')
    await settle()
    // A deletion that met another writer is tried again after a minute.
    await fake.advance({ ms: 3_600_000 })
    await settle()
    expect((await accessOf(at('boss'), 'a deletion')) === null, `${at('boss')} is still known`)
    await other.ask('users.delete', ben)
    count(other, 'deletions')
    await settle()
    expect((await accessOf(at('ben'), 'a deletion')) === null, `${at('ben')} is still known`)
  }
  for (const [n, by] of [...both, ...both].entries())
    await story(n, by).catch((error: unknown) => faults.push(String(error)))

  /** The amounts that somebody paid, oldest first. */
  const paidBy = (email: string): readonly unknown[] => {
    const customers = fake.objects.list('customer').filter((customer) => customer.email === email)
    const isOwn = (invoice: { customer?: unknown }) => customers.some(({ id }) => id === invoice.customer)
    const invoices = fake.objects
      .list('invoice')
      .filter((invoice) => invoice.status === 'paid' && isOwn(invoice))
    return invoices.map(({ amount_paid }) => amount_paid)
  }
  /** A raise that one version begins, and the other stops, resumes and carries out. A later one is undone. */
  const raise = async (n: number, by: Process) => {
    const other = by === before ? after : before
    const emails = [`raised${n}@example.com`, `raised-too${n}@example.com`]
    for (const [place, email] of emails.entries()) await buy(place === 0 ? by : other, email)
    const begin = async (of: Process): Promise<string> => {
      const on = new Date(now().getTime() + 40 * 86_400_000).toISOString()
      const terms = { from: 'price_month', to: 'price_new', on, noticeDays: 30, needsConsent: false }
      const { id } = await of.ask<{ id: string }>('prices.raise', terms, 'op')
      await settle()
      return id
    }
    const pass = async (days: number) => {
      for (let day = 0; day < days; day += 5) {
        await fake.advance({ days: 5 })
        await settle()
      }
    }
    const membersAt = async (of: Process, id: string): Promise<string[]> => {
      type Raised = { email: string; state: string; noticed_at: string; applies_at: string }
      const first = { account: '', subscription_id: '' }
      const members = await of.ask<readonly Raised[]>('prices.members', id, first, 100)
      return members.map(({ email, state, noticed_at, applies_at }) =>
        [email, state, noticed_at, applies_at].join(' '),
      )
    }
    const undone = await begin(other)
    await other.ask('prices.stop', undone)
    await by.ask('prices.undo', undone)
    count(by, 'raises undone')
    const id = await begin(by)
    await other.ask('prices.stop', id)
    await settle()
    await by.ask('prices.resume', id)
    await pass(75)
    count(by, 'raises')
    const [first, second] = [await membersAt(before, id), await membersAt(after, id)]
    expect(first.join() === second.join(), `a raise: ${first.join()} before, ${second.join()} after`)
    for (const email of emails)
      expect(
        second.some((member) => member.startsWith(`${email} raised `)),
        `${email} is not raised`,
      )
    for (const email of emails) {
      const notices = mails.filter(({ kind, to }) => kind === 'price-raise' && to === email).length
      expect(notices === 2, `${notices} notices of two raises to ${email}`)
      const paid = paidBy(email)
      // The raise begins after the first renewal; the renewals after it are at the new price.
      expect(paid.join() === '900,900,1200', `${email} paid ${paid.join(', ')}`)
      await opens(email, 'a raise')
    }
  }
  for (const [n, by] of both.entries())
    await raise(n, by).catch((error: unknown) => faults.push(String(error)))

  const waiting = await after.ask<readonly { kind: string; status: string }[]>('operator.outbox.list')
  for (const { kind, status } of waiting)
    if (status === 'dead') faults.push(`the outbox gave up a message: ${kind}`)
  for (const one of both) {
    const log = await one.ask<string[]>('log')
    for (const line of log)
      if (/no such column|syntax|not-null|NOT NULL|does not exist|could not be|ERR_/i.test(line))
        faults.push(`${one.name} logged: ${line.slice(0, 200)}`)
  }
  for (const one of both) await one.stop()
  await fake.close()
  for (const [what, times] of done) console.log(`  ${what}: ${times}`)
  return faults
}

async function main(): Promise<void> {
  const [role, folder, text] = process.argv.slice(2)
  if (role === 'serve') return serve(folder!, text!)
  const { values, positionals } = parseArgs({
    options: { database: { type: 'string' } },
    allowPositionals: true,
  })
  if (positionals[0] === undefined)
    throw new Error('npm run beside -- FOLDER: name a worktree of the former version')
  for (const connect of allDatabases) {
    const name = connect.name.replace('Databases', '')
    if (values.database !== undefined && values.database !== name) continue
    const database = await connect()
    console.log(`${name}:`)
    const faults = await live(await database.emptyUrl(), resolve(positionals[0]))
    console.log(`  ${faults.length} faults`)
    for (const fault of faults) console.log(`    ${fault}`)
    if (faults.length > 0) process.exitCode = 1
    await database.close()
  }
}

void main()
