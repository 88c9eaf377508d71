import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { maskEmail, normalEmail } from '../../memberships/ledger/index.ts'
import type { User } from '../../memberships/members/index.ts'
import { type AccountPlace, findAccounts } from '../accounts/find-accounts.ts'
import { hashOf } from '../hash.ts'
import { backupFolder, writePlan } from '../journal/index.ts'
import { legacyProvider } from '../legacy-provider.ts'
import type { FileChange, SiteFacts } from '../plan.ts'
import { toSource } from '../source.ts'
import { type DataChange, withData } from './data-text.ts'
import { accountsOf, type Kept, textOf } from './kept-accounts.ts'
import { editsBetween } from './line-edits.ts'
import { type NewFile, newAccount } from './new-account.ts'
import { isEmpty, type MemberBack, planMember } from './plan-member.ts'

/** Version 2, as far as it is asked. */
export interface SiteBack {
  readonly storage: Storage
  readonly findMember: (id: string) => Promise<User | null>
}

export interface BringBackOptions {
  readonly facts: SiteFacts
  readonly site: SiteBack
  readonly write?: boolean
  readonly backup?: string
  readonly now: () => Date
  readonly onProgress?: (done: number, total: number) => void
}

/** What one member's account is given. */
export interface BroughtBack {
  /** Where the account lies, or will. */
  readonly account: string
  readonly memberId: string
  readonly isNew: boolean
  readonly purchases: readonly string[]
  readonly subscriptions: readonly string[]
  /** Purchases that were given back since. */
  readonly removed: readonly string[]
}

/** What going back to version 1 brings along, and what it does not. */
export interface BringBack {
  readonly written: boolean
  readonly members: number
  readonly brought: readonly BroughtBack[]
  /** Nothing was or will be written for these, and why. */
  readonly left: readonly { readonly who: string; readonly reason: string }[]
  /** What version 1 opens otherwise than version 2 all the same. */
  readonly differences: readonly ({ readonly who: string } & MemberBack['differences'][number])[]
  /** Where the files are kept as they were. */
  readonly backup: string | null
}

/**
 * Writes what members bought in version 2 into the accounts of version 1, in the form in which it kept them: purchases,
 * subscriptions as they are now, and accounts for those whom it never knew. Without `write` it only says what would be. It
 * is journalled like a migration, and `--rollback` takes it out. Again, it changes nothing.
 * @throws ERR_USAGE where the form of version 1 is not known, or the accounts are those of version 2; ERR_STORAGE
 */
export const bringBack = async (folder: string, options: BringBackOptions): Promise<BringBack> => {
  const { facts, site, write = false, now, onProgress } = options
  if (facts.provider !== legacyProvider)
    throw new MembershipError(
      'ERR_USAGE',
      `How version 1 stored what was bought through ${facts.provider} is documented nowhere. Nothing was written.`,
      { action: 'Give the members their access in version 1 by hand: membership members list --json.' },
    )
  const root = resolve(folder)
  const places = findAccounts(root)
  const kept = places.flatMap((place) => accountsOf(root, place, facts))
  const byId = new Map(kept.map((one) => [`v1:${one.account.id}`, one]))
  const byEmail = new Map(kept.flatMap((one) => [[normalEmail(one.account.email) ?? '-', one] as const]))
  const rows = await membersOf(site.storage)
  const writing = createWriting(root, { facts, model: places[0], now })
  const met = new Set<Kept>()
  for (const [i, row] of rows.entries()) {
    const user = await site.findMember(row.merged_into ?? row.id)
    onProgress?.(i + 1, rows.length)
    if (user === null) continue
    const one =
      byId.get(row.created_by ?? '') ?? (row.merged_into === null ? byEmail.get(user.email ?? '') : undefined)
    if (one) met.add(one)
    if (one || row.merged_into === null) writing.take(user, one, row.merged_into !== null)
  }
  const { texts, created, brought, left, differences } = writing
  for (const { name } of kept.filter((one) => !met.has(one)))
    left.push({ who: name, reason: 'no member of version 2 has it: deleted there, or never brought along' })
  const changes = [...texts].map(([file, text]) => changeOf(root, file, text))
  const plan = { root, facts, parts: [], changes, created, databases: [], decisions: [], skipped: [] }
  const report =
    write && changes.length + created.length > 0
      ? await writePlan(
          { ...plan, files: places.length, webhooks: [] },
          { backup: backupFolder(root, options.backup), now },
        )
      : null
  left.push(...(report?.kept ?? []).map(({ file, reason }) => ({ who: file, reason })))
  return {
    written: write,
    members: rows.length,
    ...{ brought, left, differences },
    backup: report?.backup ?? null,
  }
}

/** What is to be written, member by member. */
const createWriting = (
  root: string,
  {
    facts,
    model,
    now,
  }: { readonly facts: SiteFacts; readonly model: AccountPlace | undefined; readonly now: () => Date },
) => {
  const { provider, field } = facts
  const texts = new Map<string, string>()
  const created: NewFile[] = []
  const brought: BroughtBack[] = []
  const left: BringBack['left'][number][] = []
  const differences: BringBack['differences'][number][] = []

  const intoText = ({ file, index, unwritable }: Kept, change: DataChange): string | null => {
    if (file === null || unwritable !== null) return unwritable ?? 'the account has no file with fields'
    const text = withData(texts.get(file) ?? textOf(root, file), { file, index, field }, change)
    if (text === null) return `the field "${field}" is in a form that cannot be written`
    texts.set(file, text)
    return null
  }

  const intoNew = (user: User, change: DataChange): string | null => {
    const files = newAccount(user, change, { model, field })
    created.push(...(files ?? []))
    return files === null ? 'the accounts are in a form that takes no new one by itself' : null
  }

  const take = (user: User, one: Kept | undefined, onlyKept: boolean): void => {
    const planned = planMember(user, one?.account ?? nobody, { provider, now, onlyKept })
    const { change } = planned
    const who = one?.name ?? (user.email === null ? user.id : maskEmail(user.email))
    differences.push(...planned.differences.map((each) => ({ who, ...each })))
    if (isEmpty(change)) return
    const reason = one ? intoText(one, change) : intoNew(user, change)
    if (reason !== null) left.push({ who, reason })
    else
      brought.push({
        account: one?.name ?? created.at(-1)!.file,
        memberId: user.id,
        isNew: one === undefined,
        purchases: change.add,
        subscriptions: change.subscriptions.map(({ id }) => String(id)),
        removed: change.remove,
      })
  }

  return { take, texts, created, brought, left, differences }
}

const nobody = { customerId: null, subscriptions: [], listed: [], gates: [] }

const changeOf = (root: string, file: string, text: string): FileChange => {
  const bytes = readFileSync(join(root, file))
  const source = toSource(file, bytes)
  if (typeof source === 'string') throw new TypeError(`${file} was text a moment ago`)
  return {
    part: 'accounts',
    file,
    before: hashOf(bytes),
    encoding: source.encoding,
    edits: editsBetween(source.text, text),
    summary: ['what was bought in version 2'],
  }
}

// Of an account that was deleted its row stays, for its bills.
const membersOf = (storage: Storage) =>
  storage.read((db) =>
    db
      .selectFrom('members')
      .select(['id', 'created_by', 'merged_into'])
      .where('id', 'not in', db.selectFrom('deletions').select('member_id'))
      .orderBy('id'),
  )
