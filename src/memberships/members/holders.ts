import { findNearest } from '../../core/config/index.ts'
import { type SubscriptionStatus, subscriptionStatuses } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { nextTurn, type Storage } from '../../core/storage/index.ts'
import { type HeldSubscription, holderStatements, type SubscriptionPlace } from './holders-statements.ts'
import { type FoundMember, searchMembers, searchPlace, searchStatements } from './searching-statements.ts'

/** The subscriptions that members are listed by. */
export interface HolderFilter {
  readonly status: SubscriptionStatus | undefined
  readonly plan: string | undefined
}

/** A page of the list, and the cursor of the next one. */
interface FoundPage {
  readonly found: FoundMember[]
  readonly next: string | null
}

/** Decides whether a subscription is one of a plan. */
export type IsOfPlan = (subscription: Pick<HeldSubscription, 'data' | 'sold'>, plan: string) => boolean

/**
 * Lists members by their subscriptions, each member once, in the order of the statuses and of the stored subscriptions.
 * A page ends after {@link mostRead} subscriptions, so that it may be short while `next` leads on.
 */
export async function listHolders(
  storage: Pick<Storage, 'read' | 'dialect'>,
  filter: HolderFilter,
  { cursor, size, isOfPlan }: { readonly cursor: string; readonly size: number; readonly isOfPlan: IsOfPlan },
): Promise<FoundPage> {
  const { ofStatus, heldBy } = holderStatements(storage)
  const statuses = statusesOf(filter)
  const ids: string[] = []
  const page = async (next: string | null): Promise<FoundPage> => {
    const rows = new Map((await searchStatements(storage).byIds(ids)).map((row) => [row.id, row]))
    return { found: ids.flatMap((id) => rows.get(id) ?? []), next }
  }
  let { status, place } = placeOf(cursor, statuses)
  let read = 0
  for (;;) {
    const window = await ofStatus(status, place, windowSize)
    const chosen = chosenOf(await heldBy([...new Set(window.map(({ member_id }) => member_id))]), {
      isMeant: meant(filter, statuses, isOfPlan),
      statuses,
    })
    for (const row of window) {
      if (ids.length === size || read++ === mostRead) return page(cursorOf(status, place))
      place = row
      if (chosen.get(row.member_id) === keyOf(row)) ids.push(row.member_id)
    }
    if (window.length < windowSize) {
      const following = statuses[statuses.indexOf(status) + 1]
      if (following === undefined) return page(null)
      status = following
      place = first
    }
    await nextTurn()
  }
}

/** Lists those of the members that a word finds who hold such a subscription. */
export async function searchHolders(
  storage: Pick<Storage, 'read' | 'dialect'>,
  filter: HolderFilter & { readonly word: string },
  { cursor, size, isOfPlan }: { readonly cursor: string; readonly size: number; readonly isOfPlan: IsOfPlan },
): Promise<FoundPage> {
  const { heldBy } = holderStatements(storage)
  const isMeant = meant(filter, statusesOf(filter), isOfPlan)
  const found: FoundMember[] = []
  let after = cursor
  for (let read = 0; ; read += windowSize) {
    const page = await searchMembers(storage, filter.word, { after, limit: windowSize })
    const held = await heldBy(page.found.map(({ id }) => id))
    const holders = new Set(held.filter(isMeant).map(({ member_id }) => member_id))
    for (const member of page.found) {
      if (found.length === size) return { found, next: after }
      after = searchPlace(member)
      if (holders.has(member.id)) found.push(member)
    }
    if (page.next === null || read + windowSize >= mostRead) return { found, next: page.next }
    after = page.next
    await nextTurn()
  }
}

/** @throws ERR_USAGE for a status that does not exist */
function statusesOf({ status }: HolderFilter): readonly SubscriptionStatus[] {
  if (status === undefined) return living
  if (subscriptionStatuses.includes(status)) return [status]
  const nearest = findNearest(String(status), subscriptionStatuses)
  throw new MembershipError('ERR_USAGE', `"${status}" is no status of a subscription.`, {
    action: nearest ? `Did you mean "${nearest}"?` : `Statuses: ${subscriptionStatuses.join(', ')}.`,
  })
}

function meant({ plan }: HolderFilter, statuses: readonly string[], isOfPlan: IsOfPlan) {
  return (held: HeldSubscription): boolean =>
    statuses.includes(held.status) && (plan === undefined || isOfPlan(held, plan))
}

/** By member: the subscription at which the list shows them, one of those that are meant. */
function chosenOf(
  held: readonly HeldSubscription[],
  { isMeant, statuses }: { isMeant: (held: HeldSubscription) => boolean; statuses: readonly string[] },
): ReadonlyMap<string, string> {
  const order = (s: HeldSubscription) => `${statuses.indexOf(s.status)} ${keyOf(s)}`
  const best = new Map<string, HeldSubscription>()
  for (const s of held) {
    const known = best.get(s.member_id)
    if (isMeant(s) && (known === undefined || order(s) < order(known))) best.set(s.member_id, s)
  }
  return new Map([...best].map(([member, s]) => [member, keyOf(s)]))
}

function keyOf({ provider, account, id }: SubscriptionPlace): string {
  return [provider, account, id].map(encodeURIComponent).join(' ')
}

function cursorOf(status: string, place: SubscriptionPlace): string {
  return `${status} ${keyOf(place)}`
}

/** @throws ERR_USAGE for a cursor of another list */
function placeOf(
  cursor: string,
  statuses: readonly SubscriptionStatus[],
): { status: SubscriptionStatus; place: SubscriptionPlace } {
  if (cursor === '') return { status: statuses[0]!, place: first }
  const [name, provider, account, id] = cursor.split(' ')
  const status = statuses.find((known) => known === name)
  if (status === undefined || provider === undefined || account === undefined || id === undefined)
    throw new MembershipError('ERR_USAGE', 'This cursor is not from this list.', {
      action: 'Give the "next" of the previous page, with the same "status" and "plan".',
    })
  const [at, label, key] = [provider, account, id].map(decodeURIComponent) as [string, string, string]
  return { status, place: { provider: at, account: label, id: key } }
}

const first: SubscriptionPlace = { provider: '', account: '', id: '' }

/** The statuses of subscriptions that have begun and have not ended. */
const living: readonly SubscriptionStatus[] = ['active', 'trialing', 'past_due', 'unpaid', 'paused']

/** Subscriptions, or members, that one statement reads. */
const windowSize = 500
/** Subscriptions, or members, that one page reads at most. */
const mostRead = 5000
