import {
  type Call,
  type Code,
  calledName,
  type Literal,
  type Member,
  type Pattern,
  receiverOf,
  type Span,
  unwrap,
  walkCode,
} from './code.ts'
import type { Reading } from './reading.ts'

const v1 = 'purchases'
const v2 = 'payments'

/**
 * Renames `purchases` to `payments` on a member's known provider data, and reports other places that may be
 * meant.
 */
export function rewritePurchases(reading: Reading): void {
  walkCode(reading.root, (code) => {
    if (reading.isReplaced(code)) return
    if (code.kind === 'member') ofMember(reading, code)
    else if (code.kind === 'literal') ofText(reading, code)
    else if (code.kind === 'pattern') ofPattern(reading, code)
  })
}

function ofMember(reading: Reading, member: Member): void {
  const { key, object, keyAt, style } = member
  if (key !== v1) return
  const kind = reading.values.kindOf(object)
  const isMethod = isCallee(reading, member)
  if (kind === 'data' && !isMethod) rename(reading, keyAt)
  else if (kind === 'provider' && isMethod) rename(reading, keyAt)
  else if (kind === 'sdk' || kind === 'foreign' || kind === 'subscription') return
  // Other things have purchases too; a method of an unknown object is most likely its own.
  else if (isMethod && !(kind === 'user' || kind === 'data')) return
  else if (kind === 'user' && isMethod) ownMethod(reading, member)
  else if (style !== 'static' && !isThis(object)) unclear(reading, member)
}

// An object's own property.
function isThis(code: Code): boolean {
  return code.kind === 'name' && code.name === 'this'
}

function ofText(reading: Reading, text: Literal): void {
  const { value } = text
  if (typeof value !== 'string' || !value.includes(v1)) return
  if (value === v1 && isWrittenKey(reading, text)) unclear(reading, text)
  const call = argumentOf(reading, text)
  const isPath = isFieldPath(value, reading)
  const isKey = value === v1 || value.startsWith(`${v1}.`)
  if (!call || !(isPath || isKey) || isWord(call)) return
  const on = [receiverOf(call), ...call.args.filter((arg) => arg !== text)].filter((code) => code !== null)
  const kinds = on.map((code) => reading.values.kindOf(code))
  if (isPath ? kinds.some((kind) => kind === 'user' || kind === 'content') : kinds.includes('data'))
    rename(reading, text)
  else if (isPath) unclear(reading, text)
}

/** Returns true for `stripe.purchases`, the path by the field's name in the member's content. */
function isFieldPath(value: string, { facts }: Reading): boolean {
  const path = `${facts.field}.${v1}`
  return value === path || value.startsWith(`${path}.`)
}

// A translation's key only looks similar.
function isWord(call: Call): boolean {
  return /^(?:t|tc|tt|__|_e|trans|i18n|option|I18n::\w+)$/.test(calledName(call) ?? '')
}

function argumentOf({ scopes }: Reading, text: Code): Call | null {
  const parent = scopes.parentOf(text)
  return parent?.kind === 'call' && parent.callee !== text ? parent : null
}

/** Returns true for a key of stored data: `setUserData(['purchases' => …])`. */
function isWrittenKey({ scopes }: Reading, text: Code): boolean {
  const entry = scopes.parentOf(text)
  if (entry?.kind !== 'other' || entry.what !== 'entry' || entry.children[0] !== text) return false
  for (let up = scopes.parentOf(entry); up && up.kind === 'other'; up = scopes.parentOf(up)) {
    const call = scopes.parentOf(up)
    if (call?.kind === 'call') return /^(?:setUserData|update|save)$/.test(calledName(call) ?? '')
  }
  return false
}

function isCallee({ scopes }: Reading, member: Code): boolean {
  const parent = scopes.parentOf(member)
  return parent?.kind === 'call' && unwrap(parent.callee) === member
}

function rename(reading: Reading, at: Span): void {
  const written = reading.text.slice(at.start, at.end)
  const found = written.indexOf(v1)
  if (found === -1 || written.indexOf(v1, found + 1) !== -1) return
  const start = at.start + found
  reading.edit([{ start, end: start + v1.length, text: v2 }], `${v1} → ${v2}`)
}

function ofPattern(reading: Reading, pattern: Pattern): void {
  const entry = pattern.entries.find(({ key }) => key === v1)
  if (!entry) return
  const { text } = reading
  const name = text.slice(entry.target.start, entry.target.end)
  const isShort = entry.target.kind === 'name' && reading.syntax.name === 'script' && name === v1
  reading.find({
    code: 'destructured',
    at: pattern.start,
    reason:
      'This takes purchases out of a value. If the value is the provider’s data of a member, the key is payments in version 2.',
    replacement: text.slice(pattern.start, pattern.end).replace(v1, isShort ? `${v2}: ${v1}` : v2),
  })
}

function ownMethod(reading: Reading, member: Member): void {
  reading.find({
    code: 'purchases-unclear',
    at: member.start,
    reason:
      'This calls purchases() of a member. If it is the site’s own method, nothing has to be done; otherwise the method is payments() in version 2.',
    replacement: renamed(reading, member),
  })
}

function unclear(reading: Reading, code: Code): void {
  reading.find({
    code: 'purchases-unclear',
    at: code.start,
    reason:
      'This reads purchases, but this file does not tell of what. If it is the provider’s data of a member, put this there.',
    replacement: renamed(reading, code),
  })
}

function renamed({ text }: Reading, code: Code): string {
  const written = text.slice(code.start, code.end)
  const at = written.lastIndexOf(v1)
  return written.slice(0, at) + v2 + written.slice(at + v1.length)
}
