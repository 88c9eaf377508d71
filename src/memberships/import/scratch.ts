import { openStorage, type Storage, step } from '../../core/storage/index.ts'
import { createCustomerDoor } from '../ledger/index.ts'
import { createAccountDoor, memberColumns } from '../members/index.ts'
import type { Place } from '../sync/index.ts'

/**
 * A database in memory with the site's accounts, owners and deletions. A previewed import writes there by the same
 * rules, and reports the result. The caller closes it.
 */
export async function openScratch(
  site: Storage,
  places: readonly Place[],
  now: () => Date,
): Promise<Storage> {
  const scratch = await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now })
  try {
    await copyMembers(site, scratch)
    await copyIdentities(site, scratch)
    await copyDeletions(site, scratch)
    for (const place of places) await copyOwners(site, scratch, place)
    return scratch
  } catch (error) {
    await scratch.close()
    throw error
  }
}

async function copyMembers(site: Storage, scratch: Storage): Promise<void> {
  const accounts = createAccountDoor(scratch)
  for (let after = ''; ; ) {
    const rows = await site.read((db) =>
      db.selectFrom('members').select(memberColumns).where('id', '>', after).orderBy('id').limit(aPage),
    )
    if (rows.length > 0) await scratch.commit(rows.map((row) => accounts.copy({ ...row, content: '{}' })))
    if (rows.length < aPage) return
    after = rows.at(-1)!.id
  }
}

/** Copies the ids by which apps and the site's login know a member. */
async function copyIdentities(site: Storage, scratch: Storage): Promise<void> {
  const insert = scratch.prepareMany<IdentityRow>(
    'scratch-identity',
    { all: identityColumns, key: ['key'] },
    (db, rows) => db.insertInto('identities').values(rows),
  )
  for (let after = ''; ; ) {
    const rows = await site.read((db) =>
      db
        .selectFrom('identities')
        .select(identityColumns)
        .where('key', '>', after)
        .orderBy('key')
        .limit(aPage),
    )
    if (rows.length > 0) await scratch.commit(rows.map((row) => step(insert, row)))
    if (rows.length < aPage) return
    after = rows.at(-1)!.key
  }
}

async function copyDeletions(site: Storage, scratch: Storage): Promise<void> {
  const rows = await site.read((db) => db.selectFrom('deletions').selectAll())
  const insert = scratch.prepare<(typeof rows)[number]>('scratch-deletion', (db, p) =>
    db.insertInto('deletions').values({
      member_id: p.member_id,
      requested_at: p.requested_at,
      step: p.step,
      attempts: p.attempts,
      due_at: p.due_at,
      error: p.error,
      done_at: p.done_at,
      email_hash: p.email_hash,
    }),
  )
  if (rows.length > 0) await scratch.commit(rows.map((row) => step(insert, row)))
}

async function copyOwners(site: Storage, scratch: Storage, { key, account }: Place): Promise<void> {
  const customers = createCustomerDoor(scratch)
  for (let after = ''; ; ) {
    const rows = await site.read((db) =>
      db
        .selectFrom('customers')
        .selectAll()
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('customer_id', '>', after)
        .orderBy('customer_id')
        .limit(aPage),
    )
    if (rows.length > 0) await scratch.commit(rows.map(customers.copy))
    if (rows.length < aPage) return
    after = rows.at(-1)!.customer_id
  }
}

const identityColumns = ['key', 'kind', 'member_id', 'created_at'] as const
type IdentityRow = Readonly<Record<(typeof identityColumns)[number], string>>

const aPage = 1000
