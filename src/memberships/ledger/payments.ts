import type { Judgement, Standing } from '../../core/access/index.ts'
import { isEnded, isPaid, isUnknown, type PaymentData, type SubscriptionData } from '../../core/dto/index.ts'
import type { SoldNow } from '../../core/dto/sold.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { MoneyChange, MoneyFact, MoneyKind, Ref } from '../../providers/contract.ts'
import {
  type Acceptance,
  type JudgedPayment,
  type JudgedSubscription,
  siteOnly,
  subscriptionsIn,
} from './acceptance.ts'
import { type Buying, buyingOf } from './buyers.ts'
import type { Copies } from './copies.ts'
import { digestOf } from './digest.ts'
import { isUnchanged, type Origin, snapshotHistory, withSnapshot } from './history.ts'
import { isExcerpt } from './items.ts'
import { type Mark, markId } from './message-order.ts'
import type { Purchase } from './owner-facts.ts'
import { foldPayment, paymentIdOf, refOf, roleOf, type StoredFact, splitRef } from './payment-fold.ts'
import { boughtPrices, joinSold } from './sold.ts'
import type { FactRow, IntentRow, LedgerStatements, PaymentRow } from './statements/index.ts'

/** The steps for money objects of an event, and the owners found. */
export interface PlannedPayments {
  readonly steps: readonly Step[]
  readonly purchases: readonly Purchase[]
  readonly contested: readonly { kind: MoneyKind; id: string; at: string }[]
  /** How each payment stands where not everything of the account is this site's. */
  readonly standings: readonly Standing[]
  /** Objects of accepted payments that waited, and whose buyer is not known any more. */
  readonly forgotten: readonly Ref[]
}

/** A payment without a subscription, with the price it paid. */
export interface PaidOnce {
  readonly provider: string
  readonly account: string
  readonly id: string
  readonly price_id: string
  /** The stored terms of what it pays for; absent where the site does not sell it. */
  readonly sold?: string
}

/** A payment of the subscription with this id: it is disputed now, or was paid after the end. */
export interface SubscriptionPayment {
  readonly provider: string
  readonly account: string
  readonly id: string
  readonly payment: string
}

/** The steps for one payment. */
interface PlannedGroup extends Pick<PlannedPayments, 'forgotten'> {
  readonly steps: Step[]
  readonly purchases: Purchase[]
  readonly standing: Standing
  readonly asRead: JudgedPayment['asRead']
}

interface Group {
  readonly refs: Set<string>
  /** By payment id: its row before any fact was read, for the payments that these references belonged to. */
  readonly olds: Map<string, PaymentRow | undefined>
  /** By reference: the payment that it already belongs to. */
  readonly known: Map<string, string>
  readonly fresh: Map<string, StoredFact>
}

/**
 * Plans money snapshots. Each fact is written, joined by its references to a payment, and that payment is folded again.
 * Cost: one read per reference and per fact of the payment.
 */
export function createPaymentPlanner(deps: {
  storage: Storage
  statements: LedgerStatements
  copies: Copies
  sharesCustomers: (provider: string) => boolean
  now: () => Date
  acceptance: Pick<Acceptance, 'ofPayment' | 'shopOf'>
  sold: SoldNow
  /** Queues messages about a changed payment that is, or may be, one-time. */
  tell?: (payment: PaidOnce, origin: Origin) => readonly Step[]
  /** Queues messages about a payment of a subscription that is disputed now. */
  tellDispute?: (dispute: SubscriptionPayment, origin: Origin) => readonly Step[]
  /** Queues messages about a payment that arrived for a subscription that has ended. */
  tellLate?: (late: SubscriptionPayment, origin: Origin) => readonly Step[]
}) {
  const { storage, statements, copies, sharesCustomers, now } = deps
  const { tell = () => [], tellDispute = () => [], tellLate = () => [] } = deps
  /** `judged`: the subscriptions of the same unit. `again`: payments that wait and are asked about once more. */
  const plan = async (
    changes: readonly MoneyChange[],
    origin: Origin,
    { intent, judged: known, again, isReleased = false }: BesideMoney,
  ): Promise<PlannedPayments> => {
    const steps: Step[] = []
    const contested: { kind: MoneyKind; id: string; at: string }[] = []
    const groups: Group[] = []
    for (const change of changes) {
      const planned = await planFact(change, origin)
      steps.push(...planned.steps)
      if (planned.contestedAt) contested.push({ kind: change.kind, id: change.id, at: planned.contestedAt })
      if (planned.isKnown) continue
      await addToGroups(groups, { change, fresh: planned.fresh, origin })
    }
    for (const id of again) await addPayment(groups, id, origin)
    const purchases: Purchase[] = []
    const judged: Standing[] = []
    const forgotten: Ref[] = []
    const subscriptions = new Map<string, number>()
    for (const group of groups) {
      const planned = await planGroup(group, { origin, known, isReleased })
      steps.push(...planned.steps)
      judged.push(planned.standing)
      forgotten.push(...planned.forgotten)
      if (planned.asRead) subscriptions.set(planned.asRead.id, planned.asRead.revision)
      const [own, ...others] = planned.purchases
      // Only our own checkout or an operator names the payment's member. Where any buyer can type the customer's
      // address, the checkout would reveal what that customer buys elsewhere.
      const begunBy = sharesCustomers(origin.provider) ? null : intent?.member_id
      if (own)
        purchases.push({ ...own, intentId: intent?.id, memberId: begunBy ?? assignedTo(changes) }, ...others)
    }
    for (const [id, revision] of subscriptions)
      steps.push(step(statements.ownAsRead, { ...keyOf(origin), id, revision }, 1))
    return { steps, purchases, contested, standings: judged, forgotten }
  }

  const planFact = async (change: MoneyChange, origin: Origin) => {
    const at = change.at ?? origin.at
    const { provider, account } = origin
    const key = { provider, account, kind: change.kind, id: change.id }
    const mark = toMark(change, origin)
    if (copies.holds(origin, key, at, mark)) return nothingMore
    const [known] = await storage.all(statements.fact, key)
    const { content, columns } = withSnapshot(known, snapshotHistory(mark, at, change.data))
    const contestedAt = columns.contested === 1 ? columns.at : null
    // Without a write, nothing would reveal a later change of the fact, so it is read again with the others.
    if (isUnchanged(known, columns) && !tellsMore(known, columns)) {
      // The stored content is identical. Whoever wrote it also wrote its references and its payment.
      const isKnown = contestedAt === null && known?.data === JSON.stringify(change.data)
      if (isKnown) copies.note(origin, key, at, mark)
      return { fresh: null, contestedAt, steps: [], isKnown }
    }
    const fresh: StoredFact = {
      role: roleOf(change),
      at: columns.at,
      data: content,
      isCut: isExcerpt(columns.items),
      tied: columns.tied,
    }
    const write = known ? statements.factUpdate : statements.factInsert
    return {
      fresh,
      contestedAt,
      steps: [step(write, { ...key, state: content.state, ...columns }, 1)],
      isKnown: false,
    }
  }

  const addToGroups = async (
    groups: Group[],
    { change, fresh, origin }: { change: MoneyChange; fresh: StoredFact | null; origin: Origin },
  ): Promise<void> => {
    const group: Group = { refs: new Set(), olds: new Map(), known: new Map(), fresh: new Map() }
    if (fresh) group.fresh.set(refOf(fresh.role, change.id), fresh)
    // References of old events count, too: objects named together belong together, in whatever order they arrive.
    const refs = refsOf(change)
    const payments = await Promise.all(
      refs.map((ref) => storage.all(statements.paymentOfRef, { ...keyOf(origin), ref })),
    )
    for (const ref of refs) group.refs.add(ref)
    for (const { payment_id } of payments.flat()) group.olds.set(payment_id, undefined)
    await complete(group, origin)
    join(groups, group)
  }

  /** Adds a stored payment without anything new. */
  const addPayment = async (groups: Group[], id: string, origin: Origin): Promise<void> => {
    const group: Group = { refs: new Set(), olds: new Map(), known: new Map(), fresh: new Map() }
    group.olds.set(id, undefined)
    await complete(group, origin)
    if (group.refs.size > 0) join(groups, group)
  }

  /** Reads the payments of a group and all of their references. */
  const complete = async (group: Group, origin: Origin): Promise<void> => {
    // Adding to a payment raises its revision. Reading the revision first reveals every fact that is added meanwhile.
    for (const id of group.olds.keys())
      group.olds.set(id, (await storage.all(statements.payment, { ...keyOf(origin), id }))[0])
    for (const payment_id of group.olds.keys())
      for (const { ref } of await storage.all(statements.refsOfPayment, { ...keyOf(origin), payment_id })) {
        group.refs.add(ref)
        group.known.set(ref, payment_id)
      }
  }

  const join = (groups: Group[], group: Group): void => {
    const touching = groups.filter((other) => [...group.refs].some((ref) => other.refs.has(ref)))
    for (const other of touching) {
      absorb(group, other)
      groups.splice(groups.indexOf(other), 1)
    }
    groups.push(group)
  }

  const planGroup = async (
    group: Group,
    {
      origin,
      known,
      isReleased,
    }: { origin: Origin; known: ReadonlyMap<string, JudgedSubscription>; isReleased: boolean },
  ): Promise<PlannedGroup> => {
    const key = keyOf(origin)
    const id = paymentIdOf(group.refs)
    const steps: Step[] = []
    for (const ref of [...group.refs].sort()) {
      const from = group.known.get(ref)
      if (from === undefined) steps.push(step(statements.refInsert, { ...key, ref, payment_id: id }, 1))
      else if (from !== id) steps.push(step(statements.refMove, { ...key, ref, from, payment_id: id }, 1))
    }
    const facts = await factsOf(group, origin)
    const folded = foldPayment({ ...key, id, facts })
    const olds = [...group.olds.values()].filter((row) => row !== undefined)
    const shop = deps.acceptance.shopOf(origin.provider)
    let asRead: JudgedPayment['asRead'] = null
    if (shop.accepts === 'plans') {
      const wasAccepted = !isReleased && olds.some(({ status }) => status !== 'waiting')
      const judgement = await deps.acceptance.ofPayment(origin, { facts, wasAccepted, known })
      const { standing } = judgement
      if (standing !== 'accepted') {
        steps.push(...setAside({ judgement, folded, facts }, { id, olds, origin }))
        return { steps, purchases: [], standing, forgotten: [], asRead }
      }
      asRead = judgement.asRead
    }
    const data = folded
    const buying = buyingOf(id, data, facts)
    const waits =
      data === null && shop.accepts === 'plans' ? { subscription_id: subscriptionsIn(facts)[0] ?? null } : {}
    steps.push(...writePayment(data, buying, { id, olds, origin }, waits))
    if (data !== null && data.subscription_id === null && data.price_id !== null) {
      const sold = soldOf(data, olds, origin)
      steps.push(...tell({ ...key, id, price_id: data.price_id, ...(sold === '' ? {} : { sold }) }, origin))
    }
    const isNewDispute =
      data?.status === 'disputed' && olds.every((row) => row.id !== id || row.status !== 'disputed')
    if (isNewDispute && data.subscription_id !== null)
      steps.push(...tellDispute({ ...key, id: data.subscription_id, payment: id }, origin))
    if (data !== null && data.subscription_id !== null && isNewlyPaid(data, olds)) {
      const [subscription] = await storage.all(statements.subscription, { ...key, id: data.subscription_id })
      if (subscription !== undefined && isEnded(subscription as Pick<SubscriptionData, 'status'>))
        steps.push(...tellLate({ ...key, id: data.subscription_id, payment: id }, origin))
    }
    return {
      steps,
      purchases: buying.isPurchase ? purchasesOf(id, buying, olds) : [],
      standing: 'accepted',
      asRead,
      forgotten: shop.accepts === 'plans' ? await forgottenIn(facts, buying, { olds, origin }) : [],
    }
  }

  /** Lists what to ask for, so that a payment that waited has its buyer again, its notes and the link to its invoice. */
  const forgottenIn = async (
    facts: readonly StoredFact[],
    buying: Buying,
    { olds, origin }: { olds: readonly PaymentRow[]; origin: Origin },
  ): Promise<Ref[]> => {
    if (!olds.some(({ status }) => status === 'waiting')) return []
    const isNameless = await lacksBuyer(facts, buying, origin)
    return facts.flatMap(({ role, data }) => {
      const { kind } = splitRef(refOf(role, data.id))
      if (!isNameless && !isScrubbed(data)) return []
      return kind === 'payment' || kind === 'checkout' ? [{ kind, id: data.id }] : []
    })
  }

  const lacksBuyer = async (
    facts: readonly StoredFact[],
    { isPurchase, buyer, guest, ownerId }: Buying,
    origin: Origin,
  ): Promise<boolean> => {
    // A subscription's own answer names its buyer.
    if (!isPurchase || buyer !== null || subscriptionsIn(facts).length > 0) return false
    if (guest) return true
    const [customer] = await storage.all(statements.customer, { ...keyOf(origin), customer_id: ownerId })
    return (customer?.email ?? customer?.member_id ?? null) === null
  }

  /** Writes a payment that opens nothing, belongs to nobody and counts nowhere until it is accepted. */
  const setAside = (
    {
      judgement: { standing, reason },
      folded,
      facts,
    }: { judgement: Judgement; folded: PaymentData | null; facts: readonly StoredFact[] },
    { id, olds, origin }: { id: string; olds: readonly PaymentRow[]; origin: Origin },
  ): Step[] => {
    const { ownerId } = buyingOf(id, folded, facts)
    const [subscription_id = null] = subscriptionsIn(facts)
    const price_id = folded?.price_id ?? null
    const written = writePayment(
      null,
      { ...noBuying, ownerId },
      { id, olds, origin },
      { subscription_id, price_id },
    )
    const parent =
      subscription_id === null || reason === 'items_of_other_shop' || reason === 'items_not_listed'
        ? []
        : [step(statements.ownStands, { ...keyOf(origin), id: subscription_id }, 0)]
    const due_at = now().toISOString()
    const bare =
      standing === 'foreign'
        ? [
            ...facts.flatMap((fact) => forgetPerson(fact, origin)),
            step(statements.personDue, { ...keyOf(origin), id: ownerId, due_at }),
          ]
        : facts.flatMap((fact) => notePerson(fact, origin))
    return [...written, ...parent, ...bare]
  }

  /** Notes that a name or an address is stored, which goes after a while if it is not known until then what was bought. */
  const notePerson = ({ role, data: { id, email, name } }: StoredFact, origin: Origin): Step[] => {
    if (!email && !name) return []
    const since = now()
    const due_at = new Date(since.getTime() + keptUnknownMs).toISOString()
    return [step(statements.personNoted, { ...keyOf(origin), role, id, since: since.toISOString(), due_at })]
  }

  /** Leaves out who bought from another shop, and what it noted. */
  const forgetPerson = ({ role, data, tied = null }: StoredFact, origin: Origin): Step[] => {
    const kept = JSON.stringify(withoutPerson(data))
    const keptTied = tiedWithoutPerson(tied)
    if (kept === JSON.stringify(data) && keptTied === tied) return []
    const { kind } = splitRef(refOf(role, data.id))
    return [step(statements.factForget, { ...keyOf(origin), kind, id: data.id, data: kept, tied: keptTied })]
  }

  const factsOf = async (group: Group, origin: Origin): Promise<StoredFact[]> => {
    const found = await Promise.all(
      [...group.refs].map(async (ref) => {
        const fresh = group.fresh.get(ref)
        // Whoever writes a fact writes its reference in the same unit.
        if (fresh || !group.known.has(ref)) return fresh
        const { role, kind, id } = splitRef(ref)
        const [row] = await storage.all(statements.fact, { ...keyOf(origin), kind, id })
        if (row === undefined) return undefined
        const data = JSON.parse(row.data) as MoneyFact
        return { role, at: row.at, data, isCut: isExcerpt(row.items), tied: row.tied }
      }),
    )
    return found.filter((fact) => fact !== undefined)
  }

  const writePayment = (
    data: PaymentData | null,
    { ownerId, buyer }: Buying,
    { id, olds, origin }: { id: string; olds: readonly PaymentRow[]; origin: Origin },
    // The subscription and price of what is not a payment yet: what belongs to it finds it by them.
    waits: Partial<Pick<PaymentRow, 'subscription_id' | 'price_id'>> = {},
  ): Step[] => {
    const existing = olds.find((row) => row.id === id)
    const row: PaymentRow = {
      ...keyOf(origin),
      id,
      owner_id: ownerId,
      subscription_id: data?.subscription_id ?? waits.subscription_id ?? null,
      // A row exists even while only a refund or a link is known, so that two processes adding to one payment conflict.
      status: data?.status ?? 'waiting',
      price_id: data?.price_id ?? waits.price_id ?? null,
      data: JSON.stringify(data),
      buyer,
      unknown_since: data && isUnknown(data) ? (firstSeen(olds) ?? now().toISOString()) : null,
      paid_at: data?.paid_at ?? null,
      changed_at: data?.updated_at ?? null,
      refunded: (data?.amount_refunded ?? 0) > 0 ? 1 : 0,
      sold: data === null ? null : soldOf(data, olds, origin),
      // No notice follows an imported payment, because its buyer paid elsewhere.
      unknown_step: origin.isQuiet ? 2 : 0,
      revision: existing?.revision ?? 0,
    }
    const others = olds.filter((old) => old.id !== id)
    return [
      step(existing ? statements.paymentUpdate : statements.paymentInsert, row, 1),
      ...others.map((old) => step(statements.paymentDelete, old, 1)),
    ]
  }

  /** The terms of what it pays for. They stay with it, whichever of its ids it was stored under. */
  const soldOf = (data: PaymentData, olds: readonly PaymentRow[], origin: Origin): string => {
    const known = olds.flatMap((row) => {
      const before = JSON.parse(row.data) as PaymentData | null
      return before === null ? [] : [{ sold: row.sold, prices: boughtPrices(before) }]
    })
    const stored =
      known.length === 0
        ? undefined
        : {
            sold: known.every(({ sold }) => sold === null)
              ? null
              : known.map(({ sold }) => sold ?? '').join(''),
            prices: known.flatMap(({ prices }) => prices),
          }
    const sellsNow = (price: string) => deps.sold(origin.provider, price)
    return joinSold(stored, boughtPrices(data), sellsNow, origin.isFound)
  }

  return { plan }
}

/** A fact of another shop's payment, without its buyer. */
interface ScrubbedFact extends MoneyFact {
  /** True if the provider is to be asked for what was left out, once the payment is this site's. */
  readonly scrubbed?: true
}

/** Leaves out who bought, and what the other shop noted. */
export function withoutPerson(data: MoneyFact): MoneyFact {
  const { email: _, name: __, place, metadata, invoice_url, scrubbed, ...rest } = data as ScrubbedFact
  const notes = siteOnly(metadata)
  const [kept, all] = [notes, metadata ?? {}].map((each) => Object.keys(each).length)
  const isLess = scrubbed || place || invoice_url || kept !== all
  return Object.assign(rest, kept === 0 ? null : { metadata: notes }, isLess ? { scrubbed: true } : null)
}

function isScrubbed(data: MoneyFact): boolean {
  return (data as ScrubbedFact).scrubbed === true
}

/** Does the same for the contents of one moment, stored by digest. */
export function tiedWithoutPerson(tied: string | null): string | null {
  if (tied === null) return null
  const contents = Object.entries(JSON.parse(tied) as Record<string, MoneyFact>)
  return JSON.stringify(
    Object.fromEntries(contents.map(([digest, content]) => [digest, withoutPerson(content)])),
  )
}

/** A name or an address stays for this long while nothing says if its purchase is this site's. */
export const keptUnknownMs = 7 * 86_400_000

// The same snapshot as a newer version reads it. It is written, but it is no other snapshot.
function tellsMore(known: FactRow | undefined, { data }: FactRow): boolean {
  return known !== undefined && data.length > known.data.replace(',"scrubbed":true', '').length
}

/** What a plan of money needs to know beside the changes. */
export interface BesideMoney {
  readonly intent: IntentRow | null
  readonly judged: ReadonlyMap<string, JudgedSubscription>
  readonly again: readonly string[]
  /** True if what is asked about again is given back to another shop. */
  readonly isReleased?: boolean
}

function isNewlyPaid(data: PaymentData, olds: readonly PaymentRow[]): boolean {
  return (
    isPaid(data) && data.amount > 0 && olds.every(({ status }) => status === 'pending' || status === 'failed')
  )
}

const noBuying: Omit<Buying, 'ownerId'> = { guest: true, others: [], isPurchase: false, buyer: null }

const nothingMore = { fresh: null, contestedAt: null, steps: [], isKnown: true }

/** Finds a payment's changes that matter to its owner: a new id, a known customer, or a named buyer. */
function purchasesOf(id: string, buying: Buying, olds: readonly PaymentRow[]): Purchase[] {
  const { ownerId, guest, buyer } = buying
  const absorbed = olds.filter((old) => old.id !== id && old.buyer !== null)
  const known = olds.find((old) => old.id === id && old.owner_id === ownerId)?.buyer ?? null
  const changedBuyers = known === buyer ? [] : [[id, buyer] as const]
  return [
    {
      ownerId,
      guest,
      buyers: new Map([...absorbed.map((old) => [old.id, null] as const), ...changedBuyers]),
      formers: olds.map((old) => old.owner_id).filter((former) => former !== ownerId),
    },
    ...buying.others.map((other) => ({ ownerId: other, guest: false, buyers: new Map([[id, null]]) })),
  ]
}

function assignedTo(changes: readonly MoneyChange[]): string | null {
  return changes.map(({ data }) => data.assigned?.member_id).find((id) => id) ?? null
}

function firstSeen(olds: readonly PaymentRow[]): string | undefined {
  return olds.flatMap((row) => row.unknown_since ?? []).sort()[0]
}

function keyOf({ provider, account }: Origin) {
  return { provider, account }
}

function refsOf(change: MoneyChange): string[] {
  // All payments of a subscription share it, so it joins none of them.
  const named = change.data.refs.flatMap(({ kind, part, id }) =>
    kind === 'subscription' || kind === 'customer' ? [] : refOf(roleOf({ kind, part }), id),
  )
  return [...new Set([refOf(roleOf(change), change.id), ...named])]
}

function absorb(group: Group, other: Group): void {
  for (const ref of other.refs) group.refs.add(ref)
  for (const [id, row] of other.olds) group.olds.set(id, row)
  for (const [ref, id] of other.known) group.known.set(ref, id)
  for (const [ref, fact] of other.fresh) group.fresh.set(ref, fact)
}

// A succeeded refund may fail later. A failed payment may be paid by the next attempt, and then stays paid.
const rankOf: Record<MoneyFact['state'], number> = {
  pending: 0,
  open: 1,
  succeeded: 1,
  failed: 2,
  canceled: 2,
  won: 2,
  paid: 3,
  lost: 3,
}

const finalRank = 4

function toMark({ data, stage }: MoneyChange, { id, source }: Origin): Mark {
  return {
    id: markId({ id, source }),
    digest: digestOf(data),
    follows: null,
    stage,
    rank: (data.final ? finalRank : rankOf[data.state]) * 1e12 + (data.amount_refunded ?? 0),
    source,
  }
}
