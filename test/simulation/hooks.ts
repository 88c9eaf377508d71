import type { User } from '../../src/index.ts'
import { gates } from './plan.ts'
import type { Told } from './site.ts'

/** What the site was told, without the repetitions that are allowed. */
export function brokenHooks(
  all: readonly Told[],
  users: ReadonlyMap<string, User>,
  historyOf: (email: string | null) => readonly string[],
): string[] {
  const seen = new Set<string>()
  const once = all.filter(({ id }) => !seen.has(id) && seen.add(id))
  const perMember = grouped(once)
  return [...perMember].flatMap(([member, told]) => {
    const user = users.get(member)
    const problems = [...accessProblems(told, user), ...beginnings(told, user)]
    if (problems.length === 0) return []
    return [
      [
        `hooks of ${user?.email ?? member}`,
        ...problems.map((problem) => `  ! ${problem}`),
        ...told.map((item) => `  told: ${describe(item)}`),
        ...historyOf(user?.email ?? null).map((line) => `  - ${line}`),
      ].join('\n'),
    ]
  })
}

function describe({ name, id, event }: Told): string {
  const of = (event.subscription ?? event.payment ?? {}) as { id?: string; status?: string }
  const gates = name === 'access.changed' ? `+${String(event.opened)} -${String(event.closed)}` : ''
  return `${String(event.at)} ${id} ${name} ${of.id ?? ''} ${of.status ?? ''} ${gates}`
}

function grouped(told: readonly Told[]): Map<string, Told[]> {
  const groups = new Map<string, Told[]>()
  for (const item of told) groups.set(item.member, [...(groups.get(item.member) ?? []), item])
  return groups
}

/** Opened and closed take turns for each gate, and the last word is what is so now. */
function accessProblems(told: readonly Told[], user: User | undefined): string[] {
  const problems: string[] = []
  const open = new Set<string>()
  for (const { name, event } of told) {
    if (name !== 'access.changed') continue
    for (const gate of event.opened as string[]) {
      if (open.has(gate)) problems.push(`${gate} was opened twice`)
      open.add(gate)
    }
    for (const gate of event.closed as string[])
      if (!open.delete(gate)) problems.push(`${gate} was closed and had not been open`)
  }
  if (!user) return problems
  for (const gate of Object.keys(gates))
    if (open.has(gate) !== user.hasGate(gate as never))
      problems.push(`was told that ${gate} is ${open.has(gate) ? 'open' : 'closed'}, which it is not`)
  return problems
}

function beginnings(told: readonly Told[], user: User | undefined): string[] {
  const problems: string[] = []
  const counted = (name: Told['name'], of: string) => {
    const counts = new Map<string, number>()
    for (const item of told)
      if (item.name === name) {
        const { id } = item.event[of] as { id: string }
        counts.set(id, (counts.get(id) ?? 0) + 1)
      }
    return counts
  }
  const begun = counted('subscription.started', 'subscription')
  const paid = counted('payment.received', 'payment')
  for (const [id, n] of [...begun, ...paid]) if (n > 1) problems.push(`${id} was told ${n} times`)
  for (const subscription of user?.subscriptions() ?? [])
    if (
      !begun.has(subscription.id) &&
      subscription.status !== 'incomplete' &&
      subscription.status !== 'expired'
    )
      problems.push(`${subscription.id} (${subscription.status}) was never told of`)
  // Perhaps under the name of its invoice, before anybody knew what had paid it.
  for (const payment of user?.payments() ?? [])
    if (!paid.has(payment.id) && !paid.has(payment.invoice_id ?? '') && payment.status === 'paid')
      problems.push(`${payment.id} was never told of`)
  return problems
}
