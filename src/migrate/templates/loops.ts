import { around } from './chains.ts'
import { type Assign, type Code, type Each, type Name, type Span, unwrap, walkCode } from './code.ts'
import { comparedPrice, isOneValue } from './comparison.ts'
import { callFor, listOwner, sayOwner, semicolonFor } from './owners.ts'
import type { Reading } from './reading.ts'
import type { Binding, Scopes } from './scopes.ts'

/** A loop that compares price ids, and the question that it answers. */
interface Search {
  readonly span: Span
  readonly price: Code
  readonly list: Code
  /** Formats the call that replaces the piece. */
  readonly write: (call: string) => string
  readonly asks: 'which' | 'whether'
  /** Without a break the last match wins, which may not be the best one. */
  readonly isLast: boolean
}

/** Caches which variables are named outside their loops. */
type Memo = Map<Binding, boolean>

/** Turns a loop that searches the current member's subscriptions for a price into `subscriptionForPrice`.
 *  If the member is another one, or the loop has other effects, it stays and is reported. */
export const rewriteLoops = (reading: Reading): void => {
  const memo: Memo = new Map()
  walkCode(reading.root, (code) => {
    if (code.kind !== 'block') return
    const body = code.body.filter((statement) => !(statement.kind === 'html' && statement.isBlank))
    for (const [i, loop] of body.entries()) {
      if (loop.kind !== 'each') continue
      const search = searchIn(reading, loop, [body[i - 1] ?? null, body[i + 1] ?? null], memo)
      if (search) settle(reading, search)
    }
  })
}

const settle = (reading: Reading, search: Search): void => {
  const owner = listOwner(search.list, reading)
  if (owner === null) return
  const call = callFor(reading, search.price, search.asks)
  const hasComments = /\/\*|\/\/|#|<!--/.test(reading.text.slice(search.span.start, search.span.end))
  const stay = search.isLast ? 'last' : hasComments ? 'comments' : null
  if (owner.isCurrent && stay === null)
    reading.replace(search.span, search.write(call), 'loop over subscriptions() → subscriptionForPrice()')
  else sayOwner(reading, { at: search.span.start, owner, call: search.write(call), stay })
}

const searchIn = (
  reading: Reading,
  loop: Each,
  beside: readonly (Code | null)[],
  memo: Memo,
): Search | null => {
  const [before = null, after = null] = beside
  const { target, index, list } = loop
  if (target.kind !== 'name' || index !== null || !isWhole(reading, loop)) return null
  const test = onlyTest(loop)
  if (test === null) return null
  const price = comparedPrice(reading, test.test, target)
  if (price === null || isLoose(reading, target, memo)) return null
  const found = foundIn(test.body, target, reading)
  if (found === null) return null
  if (found.kind === 'return') return returned(reading, loop, price, found.value, after)
  return assigned(reading, { loop, list, price, found, before })
}

// Checks the parser's places before a whole loop is replaced.
const isWhole = ({ syntax, text }: Reading, { start, end }: Each): boolean => {
  const written = text.slice(start, end)
  return syntax.name === 'php'
    ? /^foreach\b/i.test(written) && /(?:[;}]|endforeach)$/i.test(written)
    : /^for\b/.test(written)
}

/** Returns the single condition that a loop's body consists of. */
const onlyTest = (loop: Each): { test: Code; body: readonly Code[] } | null => {
  const [only, ...more] = statementsOf(loop.body)
  if (only?.kind !== 'if' || only.no !== null || more.length > 0) return null
  return { test: only.test, body: statementsOf(only.yes) }
}

const statementsOf = (code: Code): readonly Code[] =>
  code.kind === 'block'
    ? code.body.filter((statement) => !(statement.kind === 'html' && statement.isBlank))
    : [code]

type Found =
  | { readonly kind: 'return'; readonly value: Answer }
  | { readonly kind: 'assign'; readonly value: Answer; readonly to: Name; readonly breaks: boolean }
type Answer = 'subscription' | 'true'

const foundIn = (body: readonly Code[], target: Name, reading: Reading): Found | null => {
  const [first, second, ...more] = body
  if (first?.kind === 'return' && second === undefined && first.value) {
    const value = answerOf(first.value, target, reading)
    return value ? { kind: 'return', value } : null
  }
  const assign = assignIn(first)
  if (assign === null || more.length > 0 || (second && second.kind !== 'break')) return null
  const value = answerOf(assign.value, target, reading)
  if (value === null || assign.target.kind !== 'name') return null
  return { kind: 'assign', value, to: assign.target, breaks: second !== undefined }
}

const answerOf = (code: Code, target: Name, { scopes }: Reading): Answer | null => {
  const value = unwrap(code)
  if (value.kind === 'literal' && value.value === true) return 'true'
  return value.kind === 'name' && scopes.bindingOf(value) === scopes.bindingOf(target) ? 'subscription' : null
}

const assigned = (
  reading: Reading,
  input: { loop: Each; list: Code; price: Code; found: Found & { kind: 'assign' }; before: Code | null },
): Search | null => {
  const { loop, list, price, found, before } = input
  const start = assignIn(before)
  const { scopes } = reading
  if (start?.target.kind !== 'name' || start.operator !== '=') return null
  const variable = scopes.bindingOf(found.to)
  if (scopes.bindingOf(start.target) !== variable || !isOneValue(price, reading, [variable])) return null
  const initial = unwrap(start.value)
  if (initial.kind !== 'literal') return null
  const asks = found.value === 'true' ? 'whether' : 'which'
  if (initial.value !== (asks === 'whether' ? false : null)) return null
  if (!isSafelyNull(reading, asks)) return null
  const span = { start: around(reading.text, start.value).start, end: loop.end }
  const isLast = asks === 'which' && !found.breaks
  return {
    span,
    price,
    list,
    asks,
    isLast,
    write: (call) => call + semicolonFor(reading, start.value.end, loop),
  }
}

const returned = (
  reading: Reading,
  loop: Each,
  price: Code,
  value: Answer,
  after: Code | null,
): Search | null => {
  if (after?.kind !== 'return' || !isOneValue(price, reading, [])) return null
  const last = after.value ? unwrap(after.value) : null
  const asks = value === 'true' ? 'whether' : 'which'
  if (last?.kind !== 'literal' || last.value !== (asks === 'whether' ? false : null)) return null
  const ends = reading.text.slice(after.start, after.end).endsWith(';') ? ';' : ''
  const span = { start: loop.start, end: after.end }
  return { span, price, list: loop.list, asks, isLast: false, write: (call) => `return ${call}${ends}` }
}

// Without a match subscriptionForPrice returns null, while a loop keeps its initial value, which may be
// undefined in a script.
const isSafelyNull = ({ syntax, text }: Reading, asks: Search['asks']): boolean =>
  asks === 'whether' || syntax.name === 'php' || !/\bundefined\b/.test(text)

const assignIn = (code: Code | null | undefined): Assign | null =>
  code?.kind === 'statement' && code.inner.kind === 'assign' ? code.inner : null

/** Returns true if a variable is named outside its loops. In PHP it exists after them. */
const isLoose = ({ scopes }: Reading, target: Name, memo: Memo): boolean => {
  const binding = scopes.bindingOf(target)
  const known = memo.get(binding)
  if (known !== undefined) return known
  const found = binding.names.some((name) => !isInLoop(name, binding, scopes))
  memo.set(binding, found)
  return found
}

const isInLoop = (name: Name, binding: Binding, scopes: Scopes): boolean => {
  for (let up = scopes.parentOf(name); up; up = scopes.parentOf(up))
    if (up.kind === 'each' && up.target.kind === 'name' && scopes.bindingOf(up.target) === binding)
      return true
  return false
}
