import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { diffArrays } from 'diff'
import { maskEmail } from '../../core/email.ts'
import type { User } from '../../memberships/members/index.ts'
import type { AccountPlace } from '../accounts/find-accounts.ts'
import type { AccountRow } from '../accounts/index.ts'
import type { Edit } from '../edits.ts'
import { hashOf } from '../hash.ts'
import type { DatabaseChange, FileChange, RowChange, SiteFacts } from '../plan.ts'
import { toSource } from '../source.ts'
import { type DataChange, withData, withValue } from './data-text.ts'
import { type Kept, textOf } from './kept-accounts.ts'
import { backReasons, gatesOf, isEmpty, planMember } from './plan-member.ts'
import type { BringBack, BroughtBack, ByHand } from './result.ts'

/** Collects the changes to write, member by member. */
export function createWriting(
  root: string,
  given: { readonly facts: SiteFacts; readonly model: AccountPlace | undefined; readonly now: () => Date },
) {
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

function whose({ id, email }: User) {
  return { memberId: id, email }
}

function termsOf(user: User, gate: string | null): Pick<ByHand, 'bought' | 'until'> {
  const { by, until } = gate === null ? { by: null, until: null } : user.explain(gate as never)
  return { bought: by, until }
}

function toBrought(user: User, account: string, isNew: boolean, change: DataChange): BroughtBack {
  return {
    account,
    memberId: user.id,
    isNew,
    purchases: change.add,
    subscriptions: change.subscriptions.map(({ id }) => String(id)),
    removed: change.remove,
  }
}

/** Returns the changed text of a row's column; null for an unsupported form. */
function inRow({ text, kind, model }: AccountRow, field: string, change: DataChange): string | null {
  if (kind !== null) return withData(text, { file: kind, index: 0, field }, change)
  return withValue(text.trim() === '' && model.trimStart().startsWith('{') ? '{}' : text, change)
}

function rowChange({ place, text }: AccountRow, after: string): RowChange {
  return {
    ...place,
    before: hashOf(Buffer.from(text)),
    after: hashOf(Buffer.from(after)),
    edits: editsBetween(text, after),
  }
}

function changeOf(root: string, file: string, text: string): FileChange {
  const bytes = readFileSync(join(root, file))
  const source = toSource(file, bytes)
  if (typeof source === 'string') throw new TypeError(`${file} was text a moment ago`)
  const edits = editsBetween(source.text, text)
  return { part: 'accounts', file, before: hashOf(bytes), encoding: source.encoding, edits, summary }
}

const summary = ['what was bought in version 2']

/** Returns edits for the lines that differ, so that a rollback keeps later changes of other lines. */
export function editsBetween(before: string, after: string): Edit[] {
  const edits: Edit[] = []
  let at = 0
  let isOpen = false
  for (const { value, added, removed } of diffArrays(linesOf(before), linesOf(after))) {
    const text = value.join('')
    const isChange = added || removed
    if (isChange && !isOpen) edits.push({ start: at, end: at, text: '' })
    isOpen = isChange
    const last = edits.at(-1)
    if (removed && last) edits[edits.length - 1] = { ...last, end: at + text.length }
    if (added && last) edits[edits.length - 1] = { ...last, text: last.text + text }
    if (!added) at += text.length
  }
  return edits
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** A new file, below the site's folder. */
interface NewFile {
  readonly file: string
  readonly text: string
}

/**
 * Builds the files of an account for a member unknown to version 1, in the form of existing ones; null if
 * that form allows no separate new account.
 */
function newAccount(
  user: User,
  change: DataChange,
  { model, field }: { readonly model: AccountPlace | undefined; readonly field: string },
): NewFile[] | null {
  if (model === undefined || !/^[\w-]{1,100}$/.test(user.id)) return null
  const above = dirname(model.name)
  const facts = {
    email: user.email,
    name: user.name,
    language: user.language,
    role: user.roles[0] ?? 'member',
  }
  if (!model.isFolder) {
    // Each has its own file; a list of several must be edited by a person.
    if (!/\.json$/i.test(model.name) || !/^\s*\{/.test(readFileSync(model.path, 'utf8'))) return null
    return jsonFile(`${above}/${user.id}.json`, { id: user.id, ...facts }, change, field)
  }
  const files = readdirSync(model.path)
  const content = files.find((file) => /^user(\.\w+)?\.txt$/i.test(file))
  if (existsSync(join(model.path, 'index.php'))) {
    const file = content ?? 'user.txt'
    const text = withData('', { file, index: 0, field }, change)
    if (text === null) return null
    return [
      { file: `${above}/${user.id}/index.php`, text: phpOf(facts) },
      { file: `${above}/${user.id}/${file}`, text },
    ]
  }
  const json = files.find((file) => /^(user|account|index)\.json$/i.test(file))
  return json === undefined
    ? null
    : jsonFile(`${above}/${user.id}/${json}`, { id: user.id, ...facts }, change, field)
}

function jsonFile(file: string, account: object, change: DataChange, field: string): NewFile[] | null {
  const text = withData(`${JSON.stringify(account, null, 2)}\n`, { file, index: 0, field }, change)
  return text === null ? null : [{ file, text }]
}

/** Formats as the system does: an array of texts, without executable code. */
function phpOf(facts: Readonly<Record<string, string | null>>): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = Object.entries(facts).flatMap(([key, value]) =>
    value === null ? [] : [`    ${quoted(key)} => ${quoted(value)}`],
  )
  return `<?php\n\nreturn [\n${lines.join(',\n')}\n];\n`
}
