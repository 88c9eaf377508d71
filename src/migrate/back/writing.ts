import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { maskEmail } from '../../core/email.ts'
import type { User } from '../../memberships/members/index.ts'
import type { AccountPlace } from '../accounts/find-accounts.ts'
import type { AccountRow } from '../accounts/index.ts'
import { hashOf } from '../hash.ts'
import type { DatabaseChange, FileChange, RowChange, SiteFacts } from '../plan.ts'
import { toSource } from '../source.ts'
import { type DataChange, withData, withValue } from './data-text.ts'
import { type Kept, textOf } from './kept-accounts.ts'
import { editsBetween } from './line-edits.ts'
import { type NewFile, newAccount } from './new-account.ts'
import { backReasons, gatesOf, isEmpty, planMember } from './plan-member.ts'
import type { BringBack, BroughtBack, ByHand } from './result.ts'

/** The changes to write, member by member. */
export const createWriting = (
  root: string,
  given: { readonly facts: SiteFacts; readonly model: AccountPlace | undefined; readonly now: () => Date },
) => {
  const { facts, model, now } = given
  const { provider, field } = facts
  const texts = new Map<string, string>()
  const rows = new Map<Kept, string>()
  const created: NewFile[] = []
  const brought: BroughtBack[] = []
  const left: BringBack['left'][number][] = []
  const differences: BringBack['differences'][number][] = []
  const byHand: ByHand[] = []

  const intoText = (kept: Kept, change: DataChange): string | null => {
    const { file, index, unwritable, row } = kept
    if (file === null || unwritable !== null) return unwritable ?? 'the account has no file with fields'
    const text =
      row === null
        ? withData(texts.get(file) ?? textOf(root, file), { file, index, field }, change)
        : inRow(row, field, change)
    if (text === null) return `the field "${field}" is in a form that cannot be written`
    if (row === null) texts.set(file, text)
    else rows.set(kept, text)
    return null
  }

  const intoNew = (user: User, change: DataChange): string | null => {
    const files = newAccount(user, change, { model, field })
    created.push(...(files ?? []))
    return files === null ? 'the accounts are in a form that takes no new one by itself' : null
  }

  const take = (user: User, kept: Kept | undefined, onlyKept: boolean): void => {
    const planned = planMember(user, kept?.account ?? nobody, { provider, now, onlyKept })
    const { change } = planned
    const who = kept?.name ?? (user.email === null ? user.id : maskEmail(user.email))
    const hand = (gate: string | null, does: ByHand['does'], why: string) =>
      byHand.push({ ...whose(user), account: kept?.name ?? null, does, gate, ...termsOf(user, gate), why })
    differences.push(...planned.differences.map((each) => ({ who, ...each })))
    for (const { gate, kind, v1 } of planned.differences) hand(gate, v1 ? 'take' : 'give', backReasons[kind])
    if (isEmpty(change)) return
    const reason = kept ? intoText(kept, change) : intoNew(user, change)
    if (reason === null) {
      brought.push(toBrought(user, kept?.name ?? created.at(-1)!.file, kept === undefined, change))
      return
    }
    left.push({ who, reason })
    const named = new Set(planned.differences.map(({ gate }) => gate))
    for (const gate of gatesOf(user))
      if (user.hasGate(gate as never) && !named.has(gate)) hand(gate, 'give', reason)
    for (const gate of change.remove) hand(gate, 'take', reason)
  }

  const changes = (): FileChange[] => [...texts].map(([file, text]) => changeOf(root, file, text))

  const databases = (): DatabaseChange[] => {
    const files = new Map<string, RowChange[]>()
    for (const [{ file, row }, text] of rows)
      if (file !== null && row !== null) {
        const changed = files.get(file) ?? []
        changed.push(rowChange(row, text))
        files.set(file, changed)
      }
    return [...files].map(([file, changed]) => ({ file, rows: changed, summary }))
  }

  return { take, changes, databases, created, brought, left, differences, byHand }
}

const nobody = { customerId: null, subscriptions: [], listed: [], gates: [] }

const whose = ({ id, email }: User) => ({ memberId: id, email })

const termsOf = (user: User, gate: string | null): Pick<ByHand, 'bought' | 'until'> => {
  const { by, until } = gate === null ? { by: null, until: null } : user.explain(gate as never)
  return { bought: by, until }
}

const toBrought = (user: User, account: string, isNew: boolean, change: DataChange): BroughtBack => ({
  account,
  memberId: user.id,
  isNew,
  purchases: change.add,
  subscriptions: change.subscriptions.map(({ id }) => String(id)),
  removed: change.remove,
})

/** The text of a row's column with the change in it; null where it is in a form that cannot be written. */
const inRow = ({ text, kind, model }: AccountRow, field: string, change: DataChange): string | null => {
  if (kind !== null) return withData(text, { file: kind, index: 0, field }, change)
  return withValue(text.trim() === '' && model.trimStart().startsWith('{') ? '{}' : text, change)
}

const rowChange = ({ place, text }: AccountRow, after: string): RowChange => ({
  ...place,
  before: hashOf(Buffer.from(text)),
  after: hashOf(Buffer.from(after)),
  edits: editsBetween(text, after),
})

const changeOf = (root: string, file: string, text: string): FileChange => {
  const bytes = readFileSync(join(root, file))
  const source = toSource(file, bytes)
  if (typeof source === 'string') throw new TypeError(`${file} was text a moment ago`)
  const edits = editsBetween(source.text, text)
  return { part: 'accounts', file, before: hashOf(bytes), encoding: source.encoding, edits, summary }
}

const summary = ['what was bought in version 2']
