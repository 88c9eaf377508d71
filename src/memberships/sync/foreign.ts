import type { Judgement, Shop, StandingReason } from '../../core/access/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'
import { type Ledger, type StoredPurchase, splitRef } from '../ledger/index.ts'

/** A stored purchase of an account that may have sold it for another shop. */
export interface StoredForeign extends StoredPurchase {
  readonly memberId: string | null
  readonly prices: readonly string[]
  readonly reason: StandingReason
}

/** The stored purchases of accounts whose plans name prices. */
export interface ForeignLists {
  /**
   * The number of this site's own: a plan, an order, an import, an operator, access given by hand, a gift or a seat stands
   * behind each.
   */
  readonly own: number
  /** The ids that an operator kept with this call, or would. */
  readonly kept: readonly string[]
  /** Those of another shop: no plan names their price or product, and nothing else stands behind them. */
  readonly foreign: readonly StoredForeign[]
  /** Those of which that is not known. They keep their access until a plan or `prices` names them. */
  readonly unclear: readonly StoredForeign[]
  /** True if the foreign ones were removed, or the named ones kept. */
  readonly written: boolean
}

/** The purchases that an operator keeps, and whether to write that down. */
export interface KeepForeignRequest {
  /** The ids of subscriptions and payments. The payments of a subscription follow it. */
  readonly ids: readonly string[]
  readonly write?: boolean | undefined
  /** The name of the person who decides. */
  readonly by?: string | null | undefined
}

export interface Foreign {
  list(): Promise<ForeignLists>
  /** Lists, and with `write` gives the foreign ones back to their shops. */
  remove(input?: { write?: boolean | undefined }): Promise<ForeignLists>
  /**
   * Records that an operator keeps purchases of the two lists: they are this site's from then on.
   * @throws ERR_NOT_FOUND for an id that is in neither list
   */
  keep(request: KeepForeignRequest): Promise<ForeignLists>
}

/**
 * Lists what an earlier version took in from other shops of an account, and gives it back to them. Nothing is cancelled or
 * changed at a provider, and no account is deleted.
 */
export function createForeign(deps: {
  storage: Storage
  ledger: Ledger
  shopOf: (provider: string) => Shop
  providers: readonly string[]
  now: () => Date
}): Foreign {
  const { storage, ledger, shopOf, providers, now } = deps
  const kept = createDocuments(storage, 'foreign-kept')

  const list = async (): Promise<ForeignLists> => {
    const shared = providers.filter((key) => shopOf(key).accepts === 'plans')
    const lists = { own: 0, foreign: [] as StoredForeign[], unclear: [] as StoredForeign[] }
    const judged = new Map<string, Judgement>()
    for (const provider of shared)
      for (const kind of ['subscription', 'payment'] as const)
        for (const row of await rowsOf(kind, provider)) {
          const { account, id, subscription_id, member_id: memberId } = row
          const place = { kind, provider, account, id }
          const { standing, reason, prices } = await ledger.judgeStored(place, judged)
          const isBacked =
            standing !== 'accepted' &&
            ((await kept.get(keyOf(place))) !== null ||
              (await isImported(place)) ||
              (await isBackedByOthers(place, row)))
          const isOwn = standing === 'accepted' || isBacked
          if (kind === 'subscription')
            judged.set(
              placeOf(place),
              isOwn ? { standing: 'accepted', reason: 'accepted_before' } : { standing, reason },
            )
          const parent =
            subscription_id === null ? undefined : judged.get(placeOf({ ...place, id: subscription_id }))
          const isOthers = reason === 'items_of_other_shop'
          if (isOwn || (parent?.standing === 'accepted' && !isOthers)) lists.own++
          else {
            const found = { kind, provider, account, id, memberId, prices, reason }
            lists[standing === 'foreign' ? 'foreign' : 'unclear'].push(found)
          }
        }
    return { ...lists, kept: [], written: false }
  }

  /** True if an import brought it, or a payment of it. */
  const isImported = async ({ kind, provider, account, id }: StoredPurchase): Promise<boolean> => {
    const key = { provider, account }
    if (kind === 'payment') {
      for (const { ref } of await storage.all(ledger.statements.refsOfPayment, { ...key, payment_id: id })) {
        const { kind: of, id: fact } = splitRef(ref)
        const [row] = await storage.all(ledger.statements.fact, { ...key, kind: of, id: fact })
        if (row && isMarkedByImport(row)) return true
      }
      return false
    }
    const [row] = await storage.all(ledger.statements.subscription, { ...key, id })
    if (row && isMarkedByImport(row)) return true
    // The marks of a subscription are those of its newest moments. Its payments keep theirs.
    const payments = await storage.read((db) =>
      db
        .selectFrom('payments')
        .select('id')
        .where('provider', '=', provider)
        .where('account', '=', account)
        .where('subscription_id', '=', id),
    )
    for (const payment of payments)
      if (await isImported({ ...key, kind: 'payment', id: payment.id })) return true
    return false
  }

  const rowsOf = (kind: 'subscription' | 'payment', provider: string): Promise<readonly Row[]> =>
    kind === 'subscription'
      ? storage.read((db) =>
          db
            .selectFrom('subscriptions as s')
            .leftJoin('customers as c', (join) =>
              join
                .onRef('c.provider', '=', 's.provider')
                .onRef('c.account', '=', 's.account')
                .onRef('c.customer_id', '=', 's.owner_id'),
            )
            .select(['s.account', 's.id', 'c.member_id'])
            .select((eb) => eb.lit(null).as('subscription_id'))
            .where('s.provider', '=', provider)
            .orderBy('s.id'),
        )
      : storage.read((db) =>
          db
            .selectFrom('payments as p')
            .leftJoin('customers as c', (join) =>
              join
                .onRef('c.provider', '=', 'p.provider')
                .onRef('c.account', '=', 'p.account')
                .onRef('c.customer_id', '=', 'p.owner_id'),
            )
            .select(['p.account', 'p.id', 'p.subscription_id', 'c.member_id'])
            .where('p.provider', '=', provider)
            .where('p.status', '!=', 'waiting')
            .orderBy('p.id'),
        )

  /** True if an import, a gift, a seat, access given by hand, an operator's act or a use of a limit stands behind it. */
  const isBackedByOthers = async (
    { provider, account, id }: StoredPurchase,
    { member_id }: Row,
  ): Promise<boolean> => {
    const seats = await storage.read((db) =>
      db
        .selectFrom('group_seats')
        .select('id')
        .where('provider', '=', provider)
        .where('account', '=', account)
        .where('subscription_id', '=', id)
        .limit(1),
    )
    if (seats.length > 0) return true
    const gifts = await storage.read((db) =>
      db
        .selectFrom('gifts')
        .select('id')
        .where('provider', '=', provider)
        .where('account', '=', account)
        .where('payment_id', '=', id)
        .limit(1),
    )
    if (gifts.length > 0) return true
    if (member_id === null) return false
    const imported = await storage.read((db) =>
      db
        .selectFrom('members')
        .select('id')
        .where('id', '=', member_id)
        .where('created_by', 'like', 'import:%')
        .limit(1),
    )
    if (imported.length > 0) return true
    const given = await storage.read((db) =>
      db
        .selectFrom('grants')
        .select('id')
        .where('member_id', '=', member_id)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now().toISOString())]))
        .limit(1),
    )
    const acts = await storage.read((db) =>
      db.selectFrom('audit_log').select('id').where('member_id', '=', member_id).limit(1),
    )
    const uses = await storage.read((db) =>
      db.selectFrom('limit_usage').select('member_id').where('member_id', '=', member_id).limit(1),
    )
    return given.length + acts.length + uses.length > 0
  }

  const remove = async ({ write = false }: { write?: boolean | undefined } = {}): Promise<ForeignLists> => {
    const lists = await list()
    if (!write) return lists
    // A payment follows its subscription, which has to be gone before.
    for (const kind of ['subscription', 'payment'] as const)
      for (const { provider, account, id } of lists.foreign.filter((item) => item.kind === kind)) {
        const at = now().toISOString()
        const origin = {
          provider,
          account,
          id: `foreign:${at}`,
          source: 'event' as const,
          at,
          isQuiet: true as const,
        }
        await ledger.release([], origin, {
          subscriptions: kind === 'subscription' ? [id] : [],
          payments: kind === 'payment' ? [id] : [],
        })
      }
    return { ...lists, written: true }
  }

  const keep = async ({ ids, write = false, by = null }: KeepForeignRequest): Promise<ForeignLists> => {
    const lists = await list()
    const found = [...lists.foreign, ...lists.unclear].filter(({ id }) => ids.includes(id))
    const unknown = ids.find((id) => !found.some((item) => item.id === id))
    if (unknown !== undefined)
      throw new MembershipError('ERR_NOT_FOUND', `No foreign or unclear purchase has the id "${unknown}".`, {
        action: 'See membership foreign list.',
      })
    if (!write) return { ...lists, kept: ids }
    await kept.putAll(new Map(found.map((item) => [keyOf(item), { at: now().toISOString(), by }])))
    return { ...(await list()), kept: ids, written: true }
  }

  return { list, remove, keep }
}

interface Row {
  readonly account: string
  readonly id: string
  readonly subscription_id: string | null
  readonly member_id: string | null
}

/** The events of an object's newest moments, as stored. */
interface Marks {
  readonly marks: string | null
  readonly prior_marks: string | null
}

/** The key of a decision. */
function keyOf({ kind, provider, account, id }: StoredPurchase): string {
  return JSON.stringify([kind, provider, account, id])
}

// The import names each snapshot that it brings.
function isMarkedByImport({ marks, prior_marks }: Marks): boolean {
  return [marks, prior_marks].some((text) => text?.includes('"import:') === true)
}

/** The key of a subscription's judgement. */
function placeOf({ provider, account, id }: Omit<StoredPurchase, 'kind'>): string {
  return JSON.stringify([provider, account, id])
}
