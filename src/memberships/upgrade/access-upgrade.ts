import { setImmediate as turn } from 'node:timers/promises'
import {
  type Decision,
  decideGate,
  type Grant,
  type Holdings,
  isCurrentGrant,
  plansOpening,
  pricesOf,
  whyClosed,
} from '../../core/access/index.ts'
import { createDocuments, type Step, type Storage, unlessConflict } from '../../core/storage/index.ts'
import { holdingsOf, listMembers, type User, type UserRules } from '../members/index.ts'
import { type FormerDecision, formerDecision } from './former-decision.ts'

/** A gate about which the former and the present decision differ for a member. */
export interface AccessDifference {
  readonly member: string
  readonly gate: string
  /** `closes`: it was open and would not be. `opens`: the other way round. */
  readonly change: 'closes' | 'opens'
  readonly former: FormerDecision | null
  readonly present: Pick<Decision, 'reason' | 'by' | 'until' | 'ground'>
  /** The code of `whyClosed`; null for a gate that opens. */
  readonly why: string | null
}

/** The state of the upgrade from the former decision to coverage, kept with the data. */
interface UpgradeState {
  /** The last member that was looked at. */
  readonly after: string
  readonly done_at?: string
}

/** Reads whether members of this database still wait for the upgrade. A migration noted those it found. */
export async function openAccessUpgrade(storage: Storage) {
  const documents = createDocuments(storage, 'access-upgrade')
  const readState = () => documents.get<UpgradeState>('state')
  const isUnderway = (state: UpgradeState | null) => state !== null && state.done_at === undefined
  let underway = isUnderway(await readState())
  return {
    documents,
    /** Reads the state again; null once nobody waits. */
    refresh: async (): Promise<UpgradeState | null> => {
      if (!underway) return null
      const state = await readState()
      underway = isUnderway(state)
      return underway ? state : null
    },
    /**
     * The former decision: for everybody until each member was looked at, then for the gates that a grant `upgrade`
     * keeps. It is asked each time, so that a refund or an end closes what it would have closed before.
     */
    formerlyOf:
      (rules: () => UserRules): NonNullable<UserRules['formerly']> =>
      (gate, holdings, now) => {
        const kept = underway ? null : keptFor(gate, holdings, rules(), now)
        if (!underway && kept === null) return null
        const former = formerDecision(gate, withoutKept(holdings), rules(), now)
        if (former === null) return null
        const until = kept === null ? former.until : earliest(former.until, kept.expires_at)
        return { open: true, gate, ...former, until, ground: 'grant', payment: null }
      },
  }
}
export type OpenAccessUpgrade = Awaited<ReturnType<typeof openAccessUpgrade>>

function keptFor(gate: string, { grants }: Holdings, { plans }: UserRules, now: Date): Grant | null {
  const kept = grants.filter((grant) => grant.source === 'upgrade' && isCurrentGrant(grant, now))
  if (kept.length === 0) return null
  const names = new Set([gate, ...plansOpening(gate, plans), ...pricesOf(gate, plans)])
  return kept.find((grant) => names.has(grant.gate)) ?? null
}

function withoutKept(holdings: Holdings): Holdings {
  return {
    ...holdings,
    seats: holdings.storedSeats ?? holdings.seats ?? [],
    grants: holdings.grants.filter(({ source }) => source !== 'upgrade'),
  }
}

function earliest(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a < b ? a : b
}

export interface AccessUpgrade {
  /** Looks at every member once, after the first start of this version. */
  runDue(): Promise<void>
}

/**
 * Lets nobody stand outside on the day of the upgrade. A member for whom the former decision opens a gate that the
 * present one closes gets a grant `upgrade`: that decision goes on counting for the gate, to the end of the stored period
 * and for 35 days at most. Members are looked at in pages; several processes may do it at once, and any may be killed.
 */
export function createAccessUpgrade(deps: {
  storage: Storage
  upgrade: OpenAccessUpgrade
  findMember: (id: string) => Promise<User | null>
  rules: UserRules
  grantSteps: (row: UpgradeGrant) => readonly Step[]
  randomId: () => string
}): AccessUpgrade {
  const { storage, upgrade, findMember, rules, grantSteps, randomId } = deps

  /** Looks at a page of members, and returns false once nobody waits. */
  const lookAtPage = async (): Promise<boolean> => {
    const state = await upgrade.refresh()
    if (state === null) return false
    const page = await listMembers(storage, { cursor: state.after, limit: pageSize })
    const steps: Step[] = []
    for (const { id, merged_into } of page.members) {
      if (merged_into !== null) continue
      const user = await findMember(id)
      if (user !== null) for (const grant of grantsFor(user)) steps.push(...grantSteps(grant))
      await turn()
    }
    const after = page.members.at(-1)?.id ?? state.after
    const next: UpgradeState = page.next === null ? { after, done_at: at() } : { after }
    const claim = upgrade.documents.swapStep({ key: 'state', was: state, value: next })
    // Another process was faster, or a member was merged meanwhile: the page is read again.
    await unlessConflict(storage.commit([claim, ...steps]))
    return true
  }

  const at = () => rules.now().toISOString()

  const grantsFor = (user: User): UpgradeGrant[] =>
    closing(user, rules).map(({ gate, former, why }) => ({
      id: randomId(),
      member_id: user.id,
      gate,
      source: 'upgrade',
      reason: `open as ${former.reason} before the upgrade; now: ${why ?? 'closed'}`,
      starts_at: null,
      expires_at: endOf(former, user, rules.now()),
      created_at: at(),
      revoked_at: null,
      moved_from: null,
    }))

  return {
    runDue: async (): Promise<void> => {
      while (await lookAtPage());
    },
  }
}

/** Lists every difference between the two decisions, member by member. Nothing is written. */
export async function* accessDifferences(deps: {
  storage: Storage
  findMember: (id: string) => Promise<User | null>
  rules: UserRules
}): AsyncGenerator<AccessDifference> {
  const { storage, findMember, rules } = deps
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await listMembers(storage, { cursor, limit: pageSize })
    for (const { id, merged_into } of page.members) {
      const user = merged_into === null ? await findMember(id) : null
      if (user !== null) yield* differencesOf(user, rules)
      await turn()
    }
    cursor = page.next
  }
}

/** A grant of the upgrade as it is stored. */
interface UpgradeGrant {
  id: string
  member_id: string
  gate: string
  source: string
  reason: string
  starts_at: null
  expires_at: string
  created_at: string
  revoked_at: null
  moved_from: null
}

const pageSize = 100
const dayMs = 86_400_000
const mostDays = 35

/** The end of the stored period that was open, at most 35 days from now; all of them where no end is known. */
function endOf({ by, until }: FormerDecision, user: User, now: Date): string {
  const most = new Date(now.getTime() + mostDays * dayMs).toISOString()
  const period = user.subscriptions().find(({ id }) => id === by)?.current_period_end ?? null
  const end = [until, period].find((moment) => moment !== null && moment > now.toISOString()) ?? most
  return end < most ? end : most
}

/** The gates to keep open: the prices that a member holds, then the plans that none of these opens. */
function closing(user: User, rules: UserRules) {
  const closes = (gates: readonly string[]) =>
    gates.flatMap((gate) => {
      const difference = compareGate(gate, user, rules)
      if (difference?.change !== 'closes' || difference.former === null) return []
      return [{ gate, former: difference.former, why: difference.why }]
    })
  const prices = closes(heldPrices(user))
  const opened = new Set(
    rules.plans
      .filter((plan) => plan.prices.some(({ id }) => prices.some(({ gate }) => gate === id)))
      .map(({ id }) => id),
  )
  return [...prices, ...closes(planIds(rules)).filter(({ gate }) => !opened.has(gate))]
}

/** The differences to show: of plans, and of held prices that no plan names. */
function differencesOf(user: User, rules: UserRules): AccessDifference[] {
  const named = new Set(rules.plans.flatMap(({ prices }) => prices.map(({ id }) => id)))
  const gates = [...planIds(rules), ...heldPrices(user).filter((price) => !named.has(price))]
  return gates.flatMap((gate) => compareGate(gate, user, rules) ?? [])
}

function compareGate(gate: string, user: User, rules: UserRules): AccessDifference | null {
  const holdings = requireHoldings(user)
  const now = rules.now()
  const former = formerDecision(gate, withoutKept(holdings), rules, now)
  const present = decideGate(gate, holdings, { ...rules, formerly: undefined }, now)
  if (present.open === (former !== null)) return null
  const { reason, by, until, ground } = present
  return {
    member: user.id,
    gate,
    change: present.open ? 'opens' : 'closes',
    former,
    present: { reason, by, until, ground },
    why: present.open ? null : whyClosed(gate, holdings, rules, now).code,
  }
}

function planIds({ plans }: UserRules): readonly string[] {
  return [...new Set(plans.map(({ id }) => id))]
}

function heldPrices(user: User): readonly string[] {
  const { subscriptions, payments, seats = [] } = withoutKept(requireHoldings(user))
  const items = [...subscriptions, ...seats.map(({ subscription }) => subscription)].flatMap((s) => s.items)
  const paid = payments.flatMap((p) => [p.price_id, ...p.items.map(({ price_id }) => price_id)])
  return [...new Set([...items.map(({ price_id }) => price_id), ...paid].filter((id) => id !== null))]
}

function requireHoldings(user: User): Holdings {
  const held = holdingsOf(user)
  if (held === undefined) throw new TypeError('The member was not loaded by this package.')
  return held
}
