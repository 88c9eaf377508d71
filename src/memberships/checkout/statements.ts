import { type Expression, type Kysely, sql } from 'kysely'
import type { Leaving, Queue, Storage, Tables } from '../../core/storage/index.ts'

/** A checkout begun here, or something done to a subscription from here. */
export interface Intent {
  id: string
  provider: string
  /** The provider's account at which it was opened. */
  account: string
  /** subscription, payment; change, cancel, resume, pause */
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
  /** As JSON. */
  consent: string | null
  /** When its return page opened a session, or may open none any more. */
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

/** Purchases of a member in another browser than this one. */
const boughtElsewhere = (
  db: Kysely<Tables>,
  { member, browser }: { member: string; browser: string | Expression<string | null> },
) =>
  db
    .selectFrom('intents as other')
    .select('other.id')
    .where('other.member_id', '=', member)
    .where('other.status', '=', sql.lit('complete'))
    .where('other.browser', '!=', browser)

const intentsOf = (name: string, statuses: readonly string[]): Leaving => ({
  name: `intents-${name}`,
  table: 'intents',
  key: 'id',
  over: 'expires_at',
  among: (query) => query.where('o.status', 'in', statuses.map((status) => sql.lit(status)) as never),
})

/** Checkouts that ended unpaid, or that nobody said the end of. What waits for a bank stays until its provider speaks. */
export const unpaidIntents = intentsOf('unpaid', ['open', 'expired', 'failed'])
/** Purchases, and what was done to subscriptions. */
export const doneIntents = intentsOf('done', ['complete'])

/** Checkouts to look at, each by one process at a time. */
export const pollQueue = (
  leaseMs: number,
): Queue<{ id: string; provider: string; account: string; look_at: string }> => ({
  name: 'intents-look',
  table: 'intents',
  key: ['id'],
  due: 'look_at',
  columns: ['id', 'provider', 'account', 'look_at'],
  leaseMs,
  longestMs: intentSeconds * 1000,
})

/** For how long an intent may be paid: seven days. */
export const intentSeconds = 7 * 86_400

/** Purchases that began here, from the click to their end. */
export const intentStatements = (storage: Storage) => ({
  find: storage.prepare<{ id: string }, Intent>('intent-whole', (db, p) =>
    db
      .selectFrom('intents')
      .select([...columns, 'entered_at'])
      .where('id', '=', p.id),
  ),
  /** Those of a claim that are open (one at most), on their way, or bought; newest first. */
  ofClaim: storage.prepare<{ claim: string }, Intent>('intents-of-claim', (db, p) =>
    db
      .selectFrom('intents')
      .select(columns)
      .where('claim', '=', p.claim)
      .where('status', 'in', ['open', 'processing', 'complete'])
      .orderBy('created_at', 'desc')
      .limit(20),
  ),
  /** The open one of a claim: there is one at most. */
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
  /** Writes nothing while another open one has the claim. */
  insert: storage.prepareMany<Intent>(
    { lock: 'intents', name: 'intent-insert' },
    { all: columns, key: ['id'] },
    (db, rows) =>
      db
        .insertInto('intents')
        .values(rows)
        .onConflict((c) => c.doNothing()),
  ),
  /** Only while it is open: another choice may have closed it meanwhile. */
  opened: storage.prepare<{
    id: string
    checkout_id: string
    checkout_url: string | null
    look_at: string | null
  }>({ lock: 'intents', name: 'intent-opened' }, (db, p) =>
    db
      .updateTable('intents')
      .set({ checkout_id: p.checkout_id, checkout_url: p.checkout_url, look_at: p.look_at })
      .where('id', '=', p.id)
      .where('status', '=', 'open'),
  ),
  /** Says when it is looked at again, unless somebody wished to see it sooner meanwhile. */
  polledAt: storage.prepare<{ id: string; until: string; look_at: string | null }>(
    { lock: 'intents', name: 'intent-looked-at' },
    (db, p) =>
      db
        .updateTable('intents')
        .set({ look_at: p.look_at })
        .where('id', '=', p.id)
        .where('look_at', '=', p.until),
  ),
  /** Ends one whose checkout is not known yet. */
  closedUnopened: storage.prepare<{ id: string; settled_at: string }>(
    { lock: 'intents', name: 'intent-closed-unopened' },
    (db, p) =>
      db
        .updateTable('intents')
        .set({ status: sql.lit('expired'), settled_at: p.settled_at })
        .where('id', '=', p.id)
        .where('status', '=', 'open')
        .where('checkout_id', 'is', null),
  ),
  /** Ends an open one; a purchase that is complete stays so. */
  closed: storage.prepare<{ id: string; status: string; settled_at: string }>(
    { lock: 'intents', name: 'intent-closed' },
    (db, p) =>
      db
        .updateTable('intents')
        .set({ status: p.status, settled_at: p.settled_at })
        .where('id', '=', p.id)
        .where('status', '=', 'open'),
  ),
  /** Once, and only while the member's address is unproved. */
  entered: storage.prepare<{ id: string; at: string }>({ lock: 'intents', name: 'intent-entered' }, (db, p) =>
    db
      .updateTable('intents')
      .set({ entered_at: p.at })
      .where('id', '=', p.id)
      .where('entered_at', 'is', null),
  ),
  /** The member, when a purchase made the account after the intent began and nobody has proved to own its address yet:
   *  it can only have been this one, for a purchase joins an account that somebody else made only once that is proved.
   *  Where a customer is whoever typed the address, it may have been another browser's, too: then it is nobody's yet. */
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
  /** A member whose language nobody knows is spoken to as on the page where they bought. */
  speaks: storage.prepare<{ id: string; member: string; at: string }>(
    { lock: 'members', name: 'member-speaks' },
    (db, p) =>
      db
        .updateTable('members')
        .set({
          language: sql<string | null>`(select language from intents where id = ${p.id})`,
          updated_at: p.at,
        })
        .where('id', '=', p.member)
        .where('language', 'is', null)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('intents')
              .select('intents.id')
              .where('intents.id', '=', p.id)
              .where('intents.language', 'is not', null),
          ),
        ),
  ),
  /** Ends the sessions that purchases opened for an address nobody has proved, where another browser bought with it. */
  yielded: storage.prepare<{ id: string; member: string; at: string }>(
    { lock: 'grants', name: 'sessions-yield' },
    (db, p) =>
      db
        .updateTable('sessions')
        .set({ revoked_at: p.at })
        .where('member_id', '=', p.member)
        .where('verified', '=', 0)
        .where('revoked_at', 'is', null)
        .where(({ exists }) =>
          exists(
            boughtElsewhere(db, {
              member: p.member,
              browser: sql<string | null>`(select browser from intents where id = ${p.id})`,
            }),
          ),
        ),
  ),
})
