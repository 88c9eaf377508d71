import { isEnded, type Plan, type Subscription } from '../../core/dto/index.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { User } from '../members/index.ts'
import { leavesAt, plansOf, type Target, targetOf } from './plan.ts'
import { type SwitchRow, switchStatements } from './statements.ts'

type Place = Pick<Subscription, 'provider' | 'account' | 'id'>

const dayMs = 86_400_000

/** A membership that continues at another provider, as its page shows it. */
export interface Left {
  readonly subscription: Subscription
  readonly to: string
  readonly until: string
  readonly target: Target
  /** True if the replacement can be bought before the old one ends; its first payment waits until then. */
  readonly isSoldNow: boolean
  readonly isBought: boolean
}

export interface SwitchedMembers {
  /** The end of the paid period, if it was ended here so that its member continues at that provider; else null. */
  leavesFor(s: Subscription, to: string): Promise<string | null>
  /** The plan that its member continues with at the other provider; null where nothing there replaces it. */
  targetFor(s: Subscription, to: string): Promise<Target | null>
  /** True if free days replace days paid for one of these subscriptions at the old provider. */
  continues(
    bought: Place & Pick<Subscription, 'trial_ends_at'>,
    left: readonly Subscription[],
  ): Promise<boolean>
  /** True if a switch ends it. Its member gets other words than for a cancellation. */
  isSwitching(place: Place): Promise<boolean>
  /** True if a switch was undone for it within the last day. Its member gets a mail about that, and no other. */
  wasTakenBack(place: Place): Promise<boolean>
  /** Lists the memberships that a member has to buy again, or has bought. */
  ofMember(member: User): Promise<Left[]>
}

/** Finds the subscriptions that the site ends for a switch, and their details. */
export function createSwitchedMembers({
  storage,
  providers,
  plans,
  now,
}: {
  storage: Storage
  providers: ReadonlyMap<string, ProviderReader>
  plans: (provider: string) => readonly Plan[]
  now: () => Date
}): SwitchedMembers {
  const statements = switchStatements(storage)

  const rowOf = async ({ provider, account, id }: Place): Promise<SwitchRow | null> => {
    const [row] = await storage.all(statements.find, { provider, account, id })
    return row !== undefined && row.state !== 'stopped' ? row : null
  }

  const leavesFor = async (s: Subscription, to: string): Promise<string | null> => {
    const row = await rowOf(s)
    if (row === null || row.to_provider !== to || row.state === 'asked') return null
    if (isEnded(s)) return row.until
    return s.cancel_at_period_end || s.cancel_at !== null ? leavesAt(s) : null
  }

  const targetFor = async (s: Subscription, to: string): Promise<Target | null> => {
    const row = await rowOf(s)
    if (row === null) return null
    const prices = row.price_id === null || s.price_id === null ? {} : { [s.price_id]: row.price_id }
    return targetOf(s, { from: plans(s.provider), to: plans(to), prices })
  }

  const continues = async (
    { provider, trial_ends_at: end }: Place & Pick<Subscription, 'trial_ends_at'>,
    left: readonly Subscription[],
  ): Promise<boolean> => {
    if (end === null) return false
    for (const other of left) {
      const until = other.provider === provider ? null : await leavesFor(other, provider)
      if (until !== null && Date.parse(end) <= Date.parse(until) + roundingMs) return true
    }
    return false
  }

  const isSwitching = async (place: Place): Promise<boolean> => (await rowOf(place)) !== null

  const wasTakenBack = async ({ provider, account, id }: Place): Promise<boolean> => {
    const [row] = await storage.all(statements.find, { provider, account, id })
    return row?.state === 'stopped' && Date.parse(row.updated_at) > now().getTime() - dayMs
  }

  const ofMember = async (member: User): Promise<Left[]> => {
    const found: Left[] = []
    for (const subscription of member.subscriptions()) {
      const row = await rowOf(subscription)
      // A member who stays, or whose end was never confirmed, has nothing to buy.
      const isLeaving = row !== null && (await leavesFor(subscription, row.to_provider)) !== null
      const left = isLeaving ? toLeft(subscription, row, member) : null
      if (left !== null) found.push(left)
    }
    return found
  }

  const toLeft = (subscription: Subscription, row: SwitchRow, member: User): Left | null => {
    const { to_provider: to, price_id: price, until } = row
    const prices = price === null || subscription.price_id === null ? {} : { [subscription.price_id]: price }
    const target = targetOf(subscription, { from: plans(subscription.provider), to: plans(to), prices })
    if (target === null) return null
    const isOver = until <= now().toISOString()
    return {
      subscription,
      to,
      until,
      target,
      isSoldNow: isOver || providers.get(to)?.capabilities?.starts_later === true,
      isBought: hasBought(member, { to, target, plans: plans(to) }),
    }
  }

  return { leavesFor, targetFor, continues, isSwitching, wasTakenBack, ofMember }
}

/** True if the member has the replacement at the other provider. */
export function hasBought(
  member: User,
  { to, target, plans }: { to: string; target: Target; plans: readonly Plan[] },
): boolean {
  return member
    .subscriptions()
    .some(
      (s) =>
        s.provider === to &&
        !isEnded(s) &&
        s.status !== 'incomplete' &&
        plansOf(s, plans).includes(target.plan),
    )
}

// A provider that counts in days rounds up the last one, and its checkout stays open for a day.
const roundingMs = 3 * 86_400_000
