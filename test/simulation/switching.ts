import type { FakeServer } from '../../src/fakes/engine/index.ts'
import type { SellingCase } from '../providers/selling-case.ts'
import { choose, comeBack, memberOf, openSellingSite } from '../support/selling-site.ts'
import { createVisitor, prove, type Visitor } from '../support/visitor.ts'
import { type Chance, createChance } from './chance.ts'
import { overlapOf, type Period, paidDays } from './paid-days.ts'

/** What a member does about a change of provider. */
const plans = {
  'buys at once': 40,
  'buys before the end': 20,
  'buys after the end': 15,
  'does nothing': 10,
  'takes the end back': 5,
  'had cancelled': 10,
} as const
type Plan = keyof typeof plans

interface Person {
  readonly email: string
  readonly plan: Plan
  /** On which day they do it. */
  readonly day: number
  visitor: Visitor
  /** Logged in again, to go on elsewhere. */
  isBack: boolean
  hasMoved: boolean
}

/** What came of it: a row for each plan, and what must not have happened. */
export interface SwitchEnd {
  readonly table: readonly string[]
  readonly broken: readonly string[]
}

/**
 * Members buy at one provider for four weeks. Then the site moves to another one: the switch is stopped, meets an outage,
 * dies between writing and asking, and is run again; a part of the old provider's messages is lost, doubled or late. Day by
 * day the invoices of both providers say which days were paid: each has to be open here, and none paid twice.
 */
export async function simulateSwitch(options: {
  from: SellingCase
  to: SellingCase
  seed: string
  members: number
}): Promise<SwitchEnd> {
  const { from, to, seed, members } = options
  const chance = createChance(seed, `switch from ${from.key} to ${to.key}`)
  const endings: (() => unknown)[] = []
  const chaos = { drop: 0.05, duplicate: 0.1, delay: 0.1, reorder: 0.1 }
  const opened = await openSellingSite(
    { teardown: (end) => void endings.unshift(end) },
    from,
    {
      'membership.provider.choices': [from.key as 'stripe', to.key as 'stripe'],
      'membership.compare.automatic': true,
    },
    { seed, chaos },
    [to],
  )
  const { m, fakes } = opened
  const at: Record<string, FakeServer> = { [from.key]: fakes[0], [to.key]: fakes[1]! }
  const begun = fakes[0].now().getTime()
  const people = Array.from({ length: members }, (_, n): Person => {
    const plan = chance.weighted(plans)
    return {
      email: `m${n}@example.com`,
      plan,
      day: dayOf(plan, chance),
      visitor: createVisitor(opened.site),
      isBack: false,
      hasMoved: false,
    }
  })

  const buy = async (sellingCase: SellingCase, person: Person): Promise<void> => {
    const { email, visitor } = person
    const { checkout, back } = await choose({ sellingCase, site: opened.site }, 'pro', visitor, {
      provider: sellingCase.key,
    })
    await at[sellingCase.key]!.pay(checkout, { email })
    await comeBack({ sellingCase, fake: at[sellingCase.key]! }, { visitor, checkout, back })
    await prove(m, visitor)
  }
  /** Who is refused, since the old one is not being ended yet, comes again tomorrow. */
  const buys = async (sellingCase: SellingCase, person: Person): Promise<boolean> => {
    // The session of the first purchase is over by then.
    if (!person.isBack) person.visitor = await opened.visitorOf(person.email)
    person.isBack = true
    try {
      await buy(sellingCase, person)
      return true
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('409')) return false
      throw error
    }
  }
  const switching = { from: from.key, to: to.key, write: true }
  /** Stopped, away, dying, whole; and every few days again. */
  const switchOn = async (day: number): Promise<void> => {
    if (day < 28 || (day > 32 && day % 5 > 0)) return
    if (day === 28) {
      const stop = new AbortController()
      const onProgress = (done: number) => void (done > members / 4 && stop.abort())
      await m.operator.switch({ ...switching, finish: stop.signal, onProgress })
    } else if (day === 29) {
      const end = at[from.key]!.outage({ kind: '503' })
      await m.operator.switch(switching)
      end()
    } else if (day === 30) await dying(m.storage, chance, () => m.operator.switch(switching))
    else await m.operator.switch(switching)
  }

  /** At which moments who had access. */
  const open = new Map(people.map(({ email }) => [email, new Set<number>()]))
  const moments: number[] = []
  try {
    for (let day = 0; day < days; day++) {
      for (const person of people) {
        const n = people.indexOf(person)
        if (day === n % 28) await buy(from, person)
        if (day === 27 && person.plan === 'had cancelled') await cancel(m, person.email)
        if (day >= person.day && person.plan.startsWith('buys') && !person.hasMoved)
          person.hasMoved = await buys(to, person)
        if (day === person.day && person.plan === 'takes the end back') await takeBack(m, person.email)
      }
      await switchOn(day)
      const next = new Date(begun + (day + 1) * dayMs)
      for (const fake of Object.values(at)) {
        await fake.advance(next)
        await fake.deliver()
      }
      await m.runDueJobs()
      moments.push(next.getTime())
      for (const { email } of people)
        if ((await m.users.findByEmail(email))?.hasGate('pro' as never)) open.get(email)!.add(next.getTime())
    }
    const paid = paidDays(Object.values(at))
    // An invoice is paid an hour after its period began: so it is looked at from the end. At the moment at which a period
    // begins or ends both are right.
    const count = (isWrong: (at: { isWithin: boolean; isAtEdge: boolean; isOpen: boolean }) => boolean) =>
      new Map(
        people.flatMap(({ email }) => {
          const has = (holds: (period: { start: number; end: number }) => boolean) =>
            (paid.get(email) ?? []).some(({ start, end }) => holds({ start: start * 1000, end: end * 1000 }))
          const wrong = moments.filter((moment) =>
            isWrong({
              isWithin: has(({ start, end }) => start < moment && moment < end),
              isAtEdge: has(({ start, end }) => start === moment || moment === end),
              isOpen: open.get(email)!.has(moment),
            }),
          )
          return wrong.length === 0 ? [] : [[email, wrong.length] as const]
        }),
      )
    const closed = count(({ isWithin, isOpen }) => isWithin && !isOpen)
    const free = count(({ isWithin, isAtEdge, isOpen }) => isOpen && !isWithin && !isAtEdge)
    return endOf(people, {
      paid,
      closed,
      free,
      twice: await stillTwice(m, people),
    })
  } finally {
    for (const end of endings) await end()
  }
}

function dayOf(plan: Plan, chance: Chance): number {
  if (plan === 'buys at once') return chance.number(31, 33)
  // The first ends on day 31, the last on day 58; who bought late ends late.
  if (plan === 'buys before the end' || plan === 'takes the end back') return chance.number(31, 36)
  return chance.number(62, 66)
}

type Site = Awaited<ReturnType<typeof openSellingSite>>['m']

async function cancel(m: Site, email: string): Promise<void> {
  const user = await memberOf(m, email)
  await m.subscriptions.cancel({ user, subscriptionId: user.subscriptions()[0]!.id, when: 'period_end' })
}

async function takeBack(m: Site, email: string): Promise<void> {
  const user = await memberOf(m, email)
  const [held] = user.subscriptions()
  if (held && !held.ended) await m.subscriptions.resume({ user, subscriptionId: held.id })
}

/** A third of the units that begin with one are the last thing that a process did. */
async function dying(storage: Site['storage'], chance: Chance, run: () => Promise<unknown>): Promise<void> {
  const { commit } = storage
  Object.assign(storage, {
    commit: async (...unit: Parameters<typeof commit>) => {
      await commit(...unit)
      const begins = unit[0].some(({ statement }) => statement.name === 'switch-begin')
      if (begins && chance.one(1 / 3)) throw new Error('killed')
    },
  })
  await run()
  Object.assign(storage, { commit })
}

async function stillTwice(m: Site, people: readonly Person[]): Promise<string[]> {
  const found: string[] = []
  for (const { email } of people) {
    const living = (await memberOf(m, email))
      .subscriptions()
      .filter((s) => !s.ended && !s.cancel_at_period_end)
    if (living.length > 1) found.push(`${email} has ${living.length} memberships that go on`)
  }
  return found
}

function endOf(
  people: readonly Person[],
  seen: {
    paid: Map<string, Period[]>
    closed: Map<string, number>
    free: Map<string, number>
    twice: readonly string[]
  },
): SwitchEnd {
  const twiceOf = ({ email }: Person) => overlapOf(seen.paid.get(email) ?? []) / 86_400
  const rows = (Object.keys(plans) as Plan[]).map((plan) => {
    const those = people.filter((person) => person.plan === plan)
    const sum = (of: (person: Person) => number) => those.reduce((total, person) => total + of(person), 0)
    const most = Math.max(0, ...those.map(({ email }) => seen.free.get(email) ?? 0))
    const paid = sum(({ email }) =>
      (seen.paid.get(email) ?? []).reduce((all, p) => all + (p.end - p.start), 0),
    )
    return [
      plan.padEnd(20),
      `${those.length} members`.padEnd(14),
      `${(paid / 86_400).toFixed(0)} days paid`.padEnd(17),
      `${sum(twiceOf).toFixed(1)} of them twice`.padEnd(19),
      `${sum(({ email }) => seen.closed.get(email) ?? 0)} paid and closed`.padEnd(19),
      `open unpaid: ${most} days at most`,
    ].join(' ')
  })
  return {
    table: rows,
    broken: [
      ...people
        .filter((person) => twiceOf(person) > 0)
        .map((person) => `${person.email} (${person.plan}) paid days twice`),
      ...[...seen.closed].map(([email, count]) => `${email} was shut out on ${count} days that were paid`),
      ...[...seen.free]
        .filter(([, count]) => count > 2)
        .map(([email, count]) => `${email} had ${count} days for nothing`),
      ...seen.twice,
    ],
  }
}

const dayMs = 86_400_000
const days = 100
