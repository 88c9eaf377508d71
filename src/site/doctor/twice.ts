import type { Config } from '../../core/config/index.ts'
import type { SubscriptionStatus } from '../../core/dto/index.ts'
import { type Check, found, ok } from './check.ts'
import { customersOfBusy } from './customers.ts'
import { doctorQueries, type Readable } from './statements.ts'

/**
 * Checks for members who pay twice: two living subscriptions in one plan group. It finds owners of several
 * subscriptions along an index, then reads them one by one.
 */
export async function checkTwice(storage: Readable, config: Config): Promise<Check> {
  const groupOf = groupsOf(config)
  const twice = new Map<string, string[]>()
  for (const { who, owners } of await peopleOf(storage)) {
    const living = (await Promise.all(owners.map((owner) => doctorQueries.subscriptionsOf(storage, owner))))
      .flat()
      .filter(({ status }) => !notPaid.has(status))
    const groups = new Map<string, string[]>()
    for (const { id, price_id } of living) {
      const group = price_id === null ? undefined : groupOf.get(price_id)
      if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), id])
    }
    for (const ids of groups.values()) if (ids.length > 1) twice.set(who, ids.sort())
  }
  const [first] = twice.values()
  return first === undefined
    ? ok('paying-twice', 'Nobody pays twice for the same.')
    : found(
        'problem',
        'paying-twice',
        `${twice.size === 1 ? '1 member pays' : `${twice.size} members pay`} twice for the same plan: ${[
          ...twice.values(),
        ]
          .slice(0, 3)
          .map((ids) => ids.join(' and '))
          .join('; ')}.`,
        'End one of them at the provider, and give back what was paid for it.',
      )
}

const notPaid: ReadonlySet<string> = new Set<SubscriptionStatus>(['canceled', 'expired', 'incomplete'])

interface Owner {
  readonly provider: string
  readonly account: string
  readonly owner_id: string
}

/**
 * Lists people with more than one subscription or customer. Without a known member, each customer counts as a
 * person.
 */
async function peopleOf(storage: Readable): Promise<{ who: string; owners: Owner[] }[]> {
  const people = new Map<string, Owner[]>()
  for (const owner of await doctorQueries.busyOwners(storage)) {
    const [row] = await doctorQueries.memberOf(storage, owner)
    const who = row?.member_id ?? `${owner.provider} ${owner.account} ${owner.owner_id}`
    people.set(who, [...(people.get(who) ?? []), owner])
  }
  for (const row of await customersOfBusy(storage)) {
    const known = people.get(row.member_id ?? '') ?? []
    const owner = { provider: row.provider, account: row.account, owner_id: row.customer_id }
    if (!known.some((item) => keyOf(item) === keyOf(owner))) known.push(owner)
    people.set(row.member_id ?? '', known)
  }
  return [...people].map(([who, owners]) => ({ who, owners }))
}

function keyOf({ provider, account, owner_id }: Owner): string {
  return `${provider}\u0000${account}\u0000${owner_id}`
}

function groupsOf(config: Config): Map<string, string> {
  return new Map(
    Object.values(config.providers)
      .flatMap(({ plans }) => Object.values(plans))
      .flatMap((plan) => plan.prices.map(({ id }) => [id, plan.group ?? plan.id] as const)),
  )
}
