import { judgeItem, type Shop } from '../core/access/index.ts'
import type { Storage } from '../core/storage/index.ts'
import type { Troubles } from '../memberships/monitoring/index.ts'
import type { Deadline, Deadlines } from '../memberships/shop/index.ts'
import type { Changes } from '../memberships/subscriptions/index.ts'
import type { Assigning } from '../memberships/sync/index.ts'
import type { Figures } from './figures.ts'
import type { FindLeftOver } from './leftovers.ts'
import { needsStatements } from './needs-statements.ts'
import type { RejectedRefunds } from './rejected-refunds.ts'

/** A task for an operator: a sentence, and the page to continue on. */
export interface Need {
  /** The key of the texts: `needs.{kind}` and its verb `needs.{kind}_do`. */
  readonly kind: string
  readonly count: number
  readonly href: string
  /** The first day by which a part of it is due. */
  readonly due?: string | null
  /** The sentence that replaces the text: the monitoring's own message. */
  readonly message?: string
  readonly since?: string
  /** More values of the text. */
  readonly values?: Readonly<Record<string, string>>
}

export type Needs = (figures: Figures) => Promise<Need[]>

/** Lists the tasks that need an operator now; empty without any. */
export function createNeeds(deps: {
  storage: Pick<Storage, 'read'>
  troubles: Pick<Troubles, 'list'>
  unassigned: Pick<Assigning, 'list'>
  deadlines: Pick<Deadlines, 'list'>
  rejected: Pick<RejectedRefunds, 'list'>
  leftOver: FindLeftOver
  changes: Pick<Changes, 'listByHand'>
  /** Returns what the site sells at a provider. */
  shopOf: (provider: string) => Shop
  now: () => Date
  office: string
}): Needs {
  const { troubles, unassigned, deadlines, rejected, leftOver, office } = deps
  const count = needsStatements(deps.storage)

  return async (figures: Figures): Promise<Need[]> => {
    const [failed, events, dead, waiting, deletions, gifts, groups, kept] = await Promise.all([
      count.failedPayments(),
      count.stuckEvents(),
      count.deadMessages(),
      count.waitingCustomers(),
      count.stuckDeletions(),
      count.heldGifts(),
      count.lostGroups(),
      count.keptByUpgrade(deps.now().toISOString()),
    ])
    const [unpriced, wrong, left, due, refunds, byHand] = await Promise.all([
      unassigned.list(),
      troubles.list(),
      leftOver(),
      deadlines.list(),
      rejected.list(),
      deps.changes.listByHand(),
    ])
    const needs: Need[] = [
      ...needsOf(due, office),
      { kind: 'rejected', count: refunds.length, href: `${office}/deadlines` },
      ...wrong.map(({ message, since }) => ({
        kind: 'trouble',
        count: 1,
        href: `${office}/check`,
        message,
        since,
      })),
      { kind: 'dead', count: events.get('dead') ?? 0, href: `${office}/deliveries?status=dead` },
      { kind: 'held', count: events.get('held') ?? 0, href: `${office}/deliveries?status=held` },
      { kind: 'messages', count: dead, href: `${office}/messages` },
      { kind: 'failed', count: failed, href: `${office}/members?view=failed` },
      ...byHand.map(({ provider, id, kind }) => ({
        kind: `by_hand_${doneAs[kind] ?? 'change'}`,
        count: 1,
        href: `${office}/check`,
        values: { provider, id },
      })),
      ...unnamedPrices(figures, deps.shopOf).map(({ provider, price, paying, trials }) => ({
        kind: 'unnamed',
        count: paying + trials,
        href: `${office}/check`,
        values: { provider, words: `membership.plans.{plan}.prices: { ${provider}: ['${price}'] }` },
      })),
      { kind: 'twice', count: new Set(figures.twice).size, href: `${office}/members?view=twice` },
      { kind: 'unpriced', count: unpriced.length, href: `${office}/unclaimed` },
      { kind: 'ownerless', count: waiting, href: `${office}/unclaimed` },
      { kind: 'gifts', count: gifts, href: `${office}/gifts?held=1` },
      { kind: 'groups', count: groups, href: `${office}/groups?lost=1` },
      { kind: 'upgrade', count: kept, href: `${office}/members?view=given` },
      { kind: 'begun', count: left.begun.length, href: `${office}/leftovers` },
      {
        kind: 'left',
        count: sum(left.imports.map((knownImport) => knownImport.count)),
        href: `${office}/leftovers`,
      },
      { kind: 'switching', count: left.switches.length, href: `${office}/leftovers` },
      { kind: 'deletions', count: deletions, href: `${office}/check` },
    ]
    return needs.filter((need) => need.count > 0)
  }
}

const doneAs: Readonly<Partial<Record<string, 'cancel' | 'pause'>>> = { cancel: 'cancel', pause: 'pause' }

/** Prices of this site's products that no plan names: their subscriptions count, and open nothing by a plan. */
function unnamedPrices({ prices }: Figures, shopOf: (provider: string) => Shop) {
  return prices.filter(
    ({ provider, price }) =>
      price !== '' && judgeItem({ price_id: price }, shopOf(provider)).reason === 'product_of_plan',
  )
}

/** Lists each kind of deadline with its earliest day, the longest waiting kind first. */
function needsOf(deadlines: readonly Deadline[], office: string): Need[] {
  const kinds = [...new Set(deadlines.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const own = deadlines.filter((deadline) => deadline.kind === kind)
    const days = own.flatMap(({ due_on }) => due_on ?? []).sort()
    return { kind, count: own.length, href: `${office}/deadlines`, due: days[0] ?? null }
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}
