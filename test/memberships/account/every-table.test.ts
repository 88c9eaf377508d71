import { readFileSync } from 'node:fs'
import test from 'ava'
import { step } from '../../../src/core/storage/index.ts'
import type { Membership } from '../../../src/index.ts'
import { accountExportSchema } from '../../../src/memberships/account/export-schema.ts'
import { createExport } from '../../../src/memberships/account/index.ts'
import { createLives } from '../../../src/site/assembly/lives.ts'
import { annLeaves } from '../../support/leaving.ts'

type Field = keyof typeof accountExportSchema.shape
/** Where a member's copy has what a table says of them, and what a deletion leaves of it. `names: true`: their name or address
 *  may stay, for a reason that docs/privacy.md gives. */
type Personal = { readonly export: readonly Field[] | string; readonly names?: true }

const personal: Readonly<Record<string, Personal>> = {
  members: { export: ['profile', 'fields', 'merged_accounts', 'mails_off_at'] },
  sessions: { export: ['sessions'] },
  identities: { export: 'a hash by which the login of the site is known again' },
  customers: { export: ['customers'] },
  subscriptions: { export: ['subscriptions'] },
  payments: { export: ['payments'] },
  facts: { export: 'subscriptions and payments are folded from it' },
  payment_refs: { export: 'joins provider ids; the payments have them' },
  grants: { export: ['grants'] },
  gifts: { export: ['gifts'] },
  limit_usage: { export: ['limits'] },
  limit_keys: { export: ['limits'] },
  limit_credits: { export: ['limits'] },
  wall_counts: { export: ['free_pages'] },
  feeds: { export: ['feeds'] },
  feed_clients: { export: 'keyed hashes of programs, for two days' },
  ended_links: { export: 'a moment by which older links no longer work' },
  groups: { export: 'numbers of seats, by the subscription' },
  group_seats: { export: ['seats'] },
  intents: { export: ['checkouts'] },
  consent_proofs: { export: ['consent_proofs'], names: true },
  events: { export: 'the bodies from which everything else was read', names: true },
  past_events: { export: 'ids of events, without bodies' },
  fetches: { export: 'ids that a provider is being asked for' },
  audit_log: { export: ['audit_log'] },
  change_requests: { export: 'ids of what the actions and purchases name' },
  declarations: { export: ['declarations'], names: true },
  deletions: { export: ['deletion'] },
  sent_mails: { export: ['mails'] },
  outbox: { export: ['unsent_mails'] },
  login_links: { export: 'an address for as long as its link works' },
  email_changes: { export: 'addresses for as long as a change can be taken back' },
  merge_wishes: { export: 'addresses for as long as a merge can be confirmed' },
  merges: { export: ['merged_accounts'] },
  switches: { export: 'ids of subscriptions' },
  price_raise_members: { export: 'ids of subscriptions, and what they cost' },
  trials: { export: 'keyed hashes, in which nobody reads a name' },
  member_snapshots: { export: 'a digest of the purchases' },
  notify_queue: { export: 'ids of customers' },
  overdue: { export: 'ids of subscriptions' },
  recurring_months: { export: 'ids of subscriptions' },
}
/** Tables of the site, its partners and its operators. */
const others = [
  ...['catalogue', 'documents', 'troubles', 'operators', 'operator_codes', 'office_entries'],
  'price_raises',
  // Purchases of other shops of the payment account: of no member.
  'other_subscriptions',
  ...['membership_migrations', 'rate_limits', 'jobs'],
]
/** Tables of the website index: they hold websites and partners. */
const ofIndex =
  /^(partners|partner_sessions|audit|visits|reviews|imports|import_lines|api_keys|reports?|report_.*|previews?|preview_.*|exclusions?|candidates?|relink.*|robots|idempotency.*|crawl.*|index_.*|hosts?|host_.*|website.*|sites?)$/
const exportedElsewhere: readonly Field[] = ['format', 'version', 'exported_at']

const tablesOf = async ({ storage }: Pick<Membership, 'storage'>): Promise<string[]> => {
  const rows = await storage.read((db) =>
    db
      .selectFrom('sqlite_master' as never)
      .select('name' as never)
      .where('type' as never, '=', 'table' as never),
  )
  return (rows as { name: string }[]).map(({ name }) => name).filter((name) => !name.startsWith('sqlite_'))
}

/** The tables in which a text is found, whatever the column. */
const tablesWith = async (m: Pick<Membership, 'storage'>, text: RegExp): Promise<string[]> => {
  const found: string[] = []
  for (const table of await tablesOf(m)) {
    const rows = await m.storage.read((db) => db.selectFrom(table as never).selectAll())
    const all = rows.flatMap((row) => Object.values(row as object)).map(String)
    if (all.some((value) => text.test(value))) found.push(table)
  }
  return found.sort()
}

/** Rows of what annLeaves does not bring: mails, declarations, links and choices. */
const fillMore = async ({ storage }: Membership, member_id: string): Promise<void> => {
  const email = 'ann@example.com'
  const at = '2026-03-01T00:00:00.000Z'
  const until = '2027-03-01T00:00:00.000Z'
  const put = (table: string, values: Record<string, unknown>) =>
    storage.commit([
      step(
        storage.prepare<Record<never, never>>(`test-${table}-${String(values.id ?? '')}`, (db) =>
          db.insertInto(table as never).values(values as never),
        ),
        {},
      ),
    ])
  const declared = {
    ...{
      kind: 'cancellation',
      nature: 'extraordinary',
      reason: 'Ann was ill',
      name: 'Ann',
      contract: 'Gold',
    },
    ...{ email, received_at: at, due_on: '2026-03-01' },
  }
  await put('declarations', { ...declared, id: 'd-done', status: 'done', member_id, done_at: at })
  await put('declarations', { ...declared, id: 'd-open', status: 'open' })
  await put('sent_mails', { id: 'mail-1', member_id, kind: 'welcome', sent_at: at })
  const bounced = { kind: 'declaration', recipient: { to: email, name: 'Ann', data: { number: 'd-done' } } }
  await put('outbox', {
    ...{ id: 'mail:declaration:d-done', lane: 'mail:declaration:d-done', kind: 'direct-mail' },
    ...{ payload: JSON.stringify(bounced), status: 'dead', created_at: at, due_at: at, attempts: 9 },
  })
  await put('login_links', { id: 'link', email, redirect: '/', created_at: at, expires_at: until })
  await put('email_changes', {
    ...{ id: 'change', member_id, email_from: email, email_to: 'ann@new.example', correction: 0 },
    ...{ created_at: at, expires_at: until },
  })
  await put('merge_wishes', {
    ...{ id: 'wish', member_id, email, other_email: 'ann@old.example', created_at: at, expires_at: until },
  })
  await put('audit_log', {
    ...{
      id: 'action',
      at,
      by: 'op',
      action: 'note',
      member_id,
      after: '{"text":"Ann called"}',
      outcome: 'done',
    },
  })
  await storage.commit([
    step(
      storage.prepare<Record<never, never>>('test-choice', (db) =>
        db.updateTable('members').set({ mails_off_at: at }).where('id', '=', member_id),
      ),
      {},
    ),
  ])
}

test('every table declares its part of the export and of the deletion, and every exported field has a table', async (t) => {
  const { m } = await annLeaves(t, 'sqlite::memory:')
  const unknown = (await tablesOf(m)).filter(
    (name) => !(name in personal) && !others.includes(name) && !ofIndex.test(name),
  )
  t.deepEqual(unknown, [], 'decide here, in the export, the deletion and docs/privacy.md')
  const fields = Object.values(personal).flatMap(({ export: of }) => (typeof of === 'string' ? [] : of))
  const unexplained = Object.keys(accountExportSchema.shape).filter(
    (field) => ![...fields, ...exportedElsewhere].includes(field as Field),
  )
  t.deepEqual(unexplained, [])
  const page = readFileSync('docs/privacy.md', 'utf8')
  for (const table of Object.keys(personal))
    t.true(page.includes(`\`${table}\``), `docs/privacy.md: ${table}`)
})

test('all data of a member in any table is exported, and deleted with the account', async (t) => {
  const { m, clock, ann, deletions } = await annLeaves(t, 'sqlite::memory:')
  await fillMore(m, ann.id)
  const named = /\bann\b|annville/i
  const before = await tablesWith(m, named)
  t.deepEqual(
    before.filter((table) => !(table in personal)),
    [],
  )
  t.true(before.length > 12, before.join())
  const exportOf = createExport({
    storage: m.storage,
    lives: createLives({ storage: m.storage, now: clock.now }),
    now: clock.now,
  })
  const copy = accountExportSchema.parse(await exportOf((await m.users.findById(ann.id))!))
  const isEmpty = (value: unknown): boolean =>
    value === null || (typeof value === 'object' && Object.keys(value as object).length === 0)
  for (const table of before)
    for (const field of personal[table]!.export)
      if (typeof personal[table]!.export !== 'string' && field !== 'merged_accounts')
        t.false(isEmpty(copy[field as Field]), `${table} → ${field}`)
  t.deepEqual(
    copy.declarations.map(({ id, reason }) => [id, reason]),
    [
      ['d-done', 'Ann was ill'],
      ['d-open', 'Ann was ill'],
    ],
  )
  t.deepEqual(copy.unsent_mails, [
    { kind: 'declaration', queued_at: '2026-03-01T00:00:00.000Z', status: 'given_up' },
  ])
  t.is(copy.mails_off_at, '2026-03-01T00:00:00.000Z')

  t.is((await deletions.request(ann.id)).error, null)
  t.deepEqual(await tablesWith(m, named), ['declarations'], 'the open one has to be answered')
  const [open] = await m.operator.declarations.list({ open: true })
  t.is(open?.id, 'd-open')
  await m.operator.declarations.settle('d-open', 'op')
  t.deepEqual(await tablesWith(m, named), [])
  t.deepEqual(
    (await m.operator.declarations.list()).map(({ id, kind, status, name, reason }) => [
      id,
      kind,
      status,
      name,
      reason,
    ]),
    [
      ['d-open', 'cancellation', 'done', '', null],
      ['d-done', 'cancellation', 'done', '', null],
    ],
  )
})
