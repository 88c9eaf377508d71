import { sql } from 'kysely'
import type { Leaving, Queue, Storage } from '../../core/storage/index.ts'
import type { CheckoutRequest } from '../../providers/contract.ts'
import { boughtElsewhere, forMember } from '../members/index.ts'

/** A checkout begun here, or an action on a subscription. */
export interface Intent {
  id: string
  provider: string
  /** The provider account where it was opened. */
  account: string
  /** subscription, payment; change, cancel, resume, pause, discount */
  mode: string
  plan: string
  price_id: string
  quantity: number
  member_id: string | null
  checkout_id: string | null
  checkout_url: string | null
  redirect: string
  browser: string | null
  status: string
  created_at: string
  expires_at: string
  settled_at: string | null
  claim: string | null
  request: string | null
  language: string | null
  /** JSON. */
  consent: string | null
  /** When its return page opened a session, or lost the right to open one. */
  entered_at?: string | null
}

const columns = [
  'id',
  'provider',
  'account',
  'mode',
  'plan',
  'price_id',
  'quantity',
  'member_id',
  'checkout_id',
  'checkout_url',
  'redirect',
  'browser',
  'status',
  'created_at',
  'expires_at',
  'settled_at',
  'claim',
  'request',
  'language',
  'consent',
] as const

function intentsOf(name: string, statuses: readonly string[]): Leaving {
  return {
    name: `intents-${name}`,
    table: 'intents',
    key: 'id',
    over: 'expires_at',
    among: (query) => query.where('o.status', 'in', statuses.map((status) => sql.lit(status)) as never),
  }
}

/** Unpaid checkouts, with a known or unknown end. Those that wait for a bank stay until the provider reports. */
export const unpaidIntents = intentsOf('unpaid', ['open', 'expired', 'failed'])
/** Completed purchases and actions. */
export const doneIntents = intentsOf('done', ['complete'])

/** The checkouts to poll. A claim gives each to one process at a time. */
export function pollQueue(
  leaseMs: number,
): Queue<{ id: string; provider: string; account: string; look_at: string }> {
  return {
    name: 'intents-look',
    table: 'intents',
    key: ['id'],
    due: 'look_at',
    columns: ['id', 'provider', 'account', 'look_at'],
    leaseMs,
    longestMs: intentSeconds * 1000,
  }
}

/** An intent can be paid for seven days. */
export const intentSeconds = 7 * 86_400

/** True for the checkout of a sale that ends with the sale, because its provider closes pages. */
export function isOfSale({ request, expires_at }: Pick<Intent, 'request' | 'expires_at'>): boolean {
  return (
    request !== null && (JSON.parse(request) as Pick<CheckoutRequest, 'closes'>).closes?.at === expires_at
  )
}

/** Statements about purchases that began here, from the click to their end. */
export function intentStatements(storage: Storage) {
  return {
    find: storage.prepare<{ id: string }, Intent>('intent-whole', (db, p) =>
      db
        .selectFrom('intents')
        .select([...columns, 'entered_at'])
        .where('id', '=', p.id),
    ),
    /** Lists a claim's intents that are open (at most one), processing or complete, newest first. */
    ofClaim: storage.prepare<{ claim: string }, Intent>('intents-of-claim', (db, p) =>
      db
        .selectFrom('intents')
        .select(columns)
        .where('claim', '=', p.claim)
        .where('status', 'in', ['open', 'processing', 'complete'])
        .orderBy('created_at', 'desc')
        .limit(20),
    ),
    /** Finds a claim's open intent. There is at most one. */
    claimed: storage.prepare<{ claim: string }, Intent>('intent-claimed', (db, p) =>
      db.selectFrom('intents').select(columns).where('claim', '=', p.claim).where('status', '=', 'open'),
    ),
    openOf: storage.prepare<
      { member_id: string },
      { id: string; provider: string; account: string; checkout_id: string }
    >('intents-open-of', (db, p) =>
      db
        .selectFrom('intents')
        .select(['id', 'provider', 'account', 'checkout_id'])
        .where('member_id', '=', p.member_id)
        .where('status', '=', 'open')
        .where('checkout_id', 'is not', null)
        .$narrowType<{ checkout_id: string }>(),
    ),
    /** Writes nothing while another open intent has the claim. */
    insert: forMember(
      storage.prepareMany<Intent>('intent-insert', { all: columns, key: ['id'] }, (db, rows) =>
        db
          .insertInto('intents')
          .values(rows)
          .onConflict((c) => c.doNothing()),
      ),
    ),
    /** Writes only while the intent is open, because another choice may have closed it. */
    opened: storage.prepare<{
      id: string
      checkout_id: string
      checkout_url: string | null
      look_at: string | null
    }>('intent-opened', (db, p) =>
      db
        .updateTable('intents')
        .set({ checkout_id: p.checkout_id, checkout_url: p.checkout_url, look_at: p.look_at })
        .where('id', '=', p.id)
        .where('status', '=', 'open'),
    ),
    /** Schedules the next poll, unless an earlier one was requested meanwhile. */
    polledAt: storage.prepare<{ id: string; until: string; look_at: string | null }>(
      'intent-looked-at',
      (db, p) =>
        db
          .updateTable('intents')
          .set({ look_at: p.look_at })
          .where('id', '=', p.id)
          .where('look_at', '=', p.until),
    ),
    /** Closes an intent whose checkout is not known yet. */
    closedUnopened: storage.prepare<{ id: string; settled_at: string }>('intent-closed-unopened', (db, p) =>
      db
        .updateTable('intents')
        .set({ status: sql.lit('expired'), settled_at: p.settled_at })
        .where('id', '=', p.id)
        .where('status', '=', 'open')
        .where('checkout_id', 'is', null),
    ),
    /** Closes an open intent. A complete purchase stays complete. */
    closed: storage.prepare<{ id: string; status: string; settled_at: string }>('intent-closed', (db, p) =>
      db
        .updateTable('intents')
        .set({ status: p.status, settled_at: p.settled_at })
        .where('id', '=', p.id)
        .where('status', '=', 'open'),
    ),
    /** Succeeds once, and only while the member's address is unproved. */
    entered: storage.prepare<{ id: string; at: string }>('intent-entered', (db, p) =>
      db
        .updateTable('intents')
        .set({ entered_at: p.at })
        .where('id', '=', p.id)
        .where('entered_at', 'is', null),
    ),
    settle: storage.prepare<{
      id: string
      status: string
      checkout_id: string | null
      settled_at: string
      member_id: string | null
      is_sure: number
      before: string
    }>('intent-settle', (db, p) =>
      db
        .updateTable('intents')
        .set({
          status: p.status,
          checkout_id: p.checkout_id,
          settled_at: p.settled_at,
          member_id: sql`case when ${p.is_sure} = 1 then ${p.member_id} else coalesce(member_id, ${p.member_id}) end`,
        })
        .where('id', '=', p.id)
        .where('status', '=', p.before),
    ),
    /** Schedules another poll of a checkout. A final outcome stays. */
    wake: storage.prepare<{ id: string; look_at: string }>('intent-wake', (db, p) =>
      db
        .updateTable('intents')
        .set({ look_at: p.look_at })
        .where('id', '=', p.id)
        .where('status', 'in', ['open', 'processing', 'expired']),
    ),
    /** Return pages of the member no longer open a session. */
    returnPages: storage.prepare<{ member_id: string; at: string }>('intents-entered', (db, p) =>
      db
        .updateTable('intents')
        .set({ entered_at: p.at })
        .where('member_id', '=', p.member_id)
        .where('entered_at', 'is', null),
    ),
    /**
     * Finds the member if a purchase created the account after the intent began and its address is still unproved. It can
     * only be this purchase, because a purchase joins another person's account only after the proof. Where customers are
     * shared by address it may also be another browser's purchase; then nobody is found.
     */
    madeSince: storage.prepare<{ member: string; begun: string; browser: string }, { id: string }>(
      'member-made-since',
      (db, p) =>
        db
          .selectFrom('members')
          .select('id')
          .where('id', '=', p.member)
          .where('created_by', 'is not', null)
          .where('email_verified', '=', 0)
          .where('created_at', '>=', p.begun)
          .where(({ not, exists }) => not(exists(boughtElsewhere(db, p)))),
    ),
  }
}
