import {
  endsAt,
  isEnded,
  isOnGracePeriod,
  type PaymentData,
  type Subscription,
  type SubscriptionData,
  toSubscription,
} from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import { type FoundMember, searchMembers } from '../memberships/members/index.ts'
import { countMembers } from './counting-statements.ts'
import { findingStatements } from './finding-statements.ts'
import type { KeptFigures } from './kept-figures.ts'
import type { Key } from './walking-statements.ts'

/** The lists of members with a link of their own. */
export const views = ['trials', 'failed', 'cancels', 'given', 'former', 'twice'] as const
/** One of {@link views}. */
export type MembersView = (typeof views)[number]

/** Selects members, and the place to continue from. */
export interface MembersQuery {
  readonly q: string
  readonly view: MembersView | null
  readonly after: string
  readonly limit: number
}

/** A member with their best subscription. */
export interface ListedRow extends Omit<FoundMember, 'email_verified'> {
  readonly verified: boolean
  readonly subscription: Subscription | null
  /** The end of what that subscription has paid or planned, see {@link paidThrough}. */
  readonly until: string | null
  /** The prices of what they bought once, where they have no living subscription. */
  readonly bought: readonly string[]
  /** The number of their living subscriptions. */
  readonly living: number
}

/** One page, with the cursor of the next; null after the last. */
export interface MembersPage {
  readonly rows: readonly ListedRow[]
  readonly next: string | null
}

export interface MembersList {
  page(query: MembersQuery): Promise<MembersPage>
  /** Counts a view's members, up to a thousand. Null for a view without a count yet. */
  count(view: MembersView): Promise<{ count: number; isMore: boolean } | null>
}

/** Lists members for the office. */
export function createMembersList(deps: {
  storage: Pick<Storage, 'read' | 'dialect'>
  figures: KeptFigures
  now: () => Date
}): MembersList {
  const { storage, figures, now } = deps
  const find = findingStatements(storage)

  const page = async ({ q, view, after, limit }: MembersQuery): Promise<MembersPage> => {
    const word = q.trim()
    if (word !== '') return searched(word, after, limit)
    if (view !== null) return viewed(view, after, limit)
    const [at = '', id = ''] = after.split(' ')
    const found = await find.newest(after === '' ? null : { at, id }, limit + 1)
    const last = found[limit - 1]
    return {
      rows: await rowsOf(found.slice(0, limit)),
      next: found.length > limit ? `${last!.created_at} ${last!.id}` : null,
    }
  }

  const searched = async (word: string, after: string, limit: number): Promise<MembersPage> => {
    const { found, next } = await searchMembers(storage, word, { after, limit })
    return { rows: await rowsOf(found), next }
  }

  const viewed = async (view: MembersView, after: string, limit: number): Promise<MembersPage> => {
    if (view === 'twice') return ofIds((await figures())?.twice ?? [], after, limit)
    if (view === 'given') {
      const found = await find.given(now().toISOString(), after, limit + 1)
      const ids = found.slice(0, limit).map(({ member_id }) => member_id)
      return {
        rows: await rowsOf(inOrder(ids, await find.byIds(ids))),
        next: found.length > limit ? ids.at(-1)! : null,
      }
    }
    return ofSubscriptions(view, after, limit)
  }

  const ofIds = async (all: readonly string[], after: string, limit: number): Promise<MembersPage> => {
    const sorted = [...new Set(all)].sort().filter((id) => id > after)
    const ids = sorted.slice(0, limit)
    return {
      rows: await rowsOf(inOrder(ids, await find.byIds(ids))),
      next: sorted.length > limit ? ids.at(-1)! : null,
    }
  }

  const ofSubscriptions = async (
    view: Exclude<MembersView, 'twice' | 'given'>,
    after: string,
    limit: number,
  ): Promise<MembersPage> => {
    const { ids, next } = await idsOf(view, after, limit)
    return { rows: await rowsOf(inOrder([...ids], await find.byIds([...ids]))), next }
  }

  const count = async (view: MembersView): Promise<{ count: number; isMore: boolean } | null> => {
    if (view === 'twice') {
      const known = await figures()
      return known === null ? null : { count: new Set(known.twice).size, isMore: false }
    }
    if (view === 'given') {
      const found = await find.given(now().toISOString(), '', mostCounted + 1)
      return { count: Math.min(found.length, mostCounted), isMore: found.length > mostCounted }
    }
    const { statuses, only } = meanings[view]
    const week = new Date(now().getTime() + weekMs).toISOString()
    const which = { statuses, ...(only ? { only } : {}), ...(view === 'trials' ? { trialEndsBy: week } : {}) }
    // Each former member needs a check for another subscription, so fewer are counted.
    const most = only === 'former' ? windowSize : mostCounted
    const size = await countMembers(storage, which, most + 1)
    return { count: Math.min(size, most), isMore: size > most }
  }

  /** Scans subscriptions of the view's statuses until the page is full, or the limit per page is reached. */
  const idsOf = async (
    view: Exclude<MembersView, 'twice' | 'given'>,
    after: string,
    limit: number,
  ): Promise<{ ids: ReadonlySet<string>; next: string | null }> => {
    const { statuses, isMeant, only = 'all' } = meanings[view]
    const [from = statuses[0]!, ...place] = after === '' ? [] : after.split(' ').map(decodeURIComponent)
    let key: Key = { provider: place[0] ?? '', account: place[1] ?? '', id: place[2] ?? '' }
    const ids = new Set<string>()
    const most = Math.min(windowSize, limit + 1)
    const week = view === 'trials' ? new Date(now().getTime() + weekMs).toISOString() : undefined
    let looked = 0
    for (const status of statuses.slice(Math.max(0, statuses.indexOf(from)))) {
      for (;;) {
        const rows = await find.ofStatus(status, key, most, only, week)
        for (const row of rows) {
          if (ids.size >= limit || looked++ >= mostLooked) return { ids, next: next(status, key) }
          key = row
          if (row.member_id !== null && isMeant(JSON.parse(row.data) as SubscriptionData, now()))
            ids.add(row.member_id)
        }
        if (rows.length < most) break
      }
      key = { provider: '', account: '', id: '' }
    }
    return { ids, next: null }
  }

  const rowsOf = async (found: readonly FoundMember[]): Promise<ListedRow[]> => {
    const ids = found.map(({ id }) => id)
    const [holdings, purchases] = await Promise.all([find.holdingsOf(ids), find.purchasesOf(ids)])
    return found.map(({ email_verified, ...item }) => {
      const own = holdings
        .filter(({ member_id }) => member_id === item.id)
        .map(({ data }) => toSubscription(JSON.parse(data) as SubscriptionData))
        .sort(bestFirst)
      const living = own.filter((s) => !isEnded(s) && s.status !== 'incomplete').length
      return {
        ...item,
        verified: email_verified === 1,
        subscription: own[0] ?? null,
        until: own[0] === undefined ? null : paidThrough(own[0], now()),
        bought: living > 0 ? [] : boughtBy(item.id, purchases),
        living,
      }
    })
  }

  return { page, count }
}

/** The end of what a subscription has paid or planned. A period whose payment failed does not count. */
export function paidThrough(s: Subscription, now: Date): string | null {
  if (s.ended_at !== null) return s.ended_at
  const { current_period_start: from, current_period_end: end } = s
  if (s.past_due || s.status === 'unpaid') return end !== null && end > now.toISOString() ? from : end
  return s.cancel_at ?? end
}

const weekMs = 7 * 86_400_000
const windowSize = 250
const mostLooked = 1000
const mostCounted = 1000

function next(status: string, { provider, account, id }: Key): string {
  return [status, provider, account, id].map(encodeURIComponent).join(' ')
}

type Meaning = {
  readonly statuses: readonly string[]
  readonly isMeant: (s: SubscriptionData, now: Date) => boolean
  /** The database's own filter. With it nearly every row matches. */
  readonly only?: 'stopping' | 'former'
}

const meanings: Record<Exclude<MembersView, 'twice' | 'given'>, Meaning> = {
  trials: {
    statuses: ['trialing'],
    isMeant: (s, now) =>
      s.trial_ends_at !== null && Date.parse(s.trial_ends_at) <= now.getTime() + weekMs && endsAt(s) === null,
  },
  failed: { statuses: ['past_due', 'unpaid'], isMeant: () => true },
  cancels: { statuses: ['active', 'trialing'], isMeant: isOnGracePeriod, only: 'stopping' },
  former: { statuses: ['canceled'], isMeant: () => true, only: 'former' },
}

function boughtBy(id: string, purchases: readonly { member_id: string; data: string }[]): string[] {
  return [
    ...new Set(
      purchases
        .filter(({ member_id }) => member_id === id)
        .flatMap(({ data }) => (JSON.parse(data) as PaymentData).price_id ?? []),
    ),
  ]
}

function inOrder(ids: readonly string[], found: readonly FoundMember[]): FoundMember[] {
  return ids.flatMap((id) => found.find((item) => item.id === id) ?? [])
}

function bestFirst(a: Subscription, b: Subscription): number {
  return Number(a.ended) - Number(b.ended) || ((a.started_at ?? '') < (b.started_at ?? '') ? 1 : -1)
}
