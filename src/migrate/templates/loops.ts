import { around } from './chains.ts'
import { type Assign, type Code, type Each, type Name, unwrap, walkCode } from './code.ts'
import { comparedPrice, isOneValue } from './comparison.ts'
import { callFor, listOwner, sayOwner, semicolonFor } from './owners.ts'
import type { Reading } from './reading.ts'
import type { Binding, Scopes } from './scopes.ts'

/** A loop that compares price ids, and the call that asks nearly the same. */
interface Search {
  readonly start: number
  readonly list: Code
  /** The statement with the call. */
  readonly call: string
}

/** Caches which variables are named outside their loops. */
type Memo = Map<Binding, boolean>

/**
 * Reports each loop that searches a member's subscriptions for a price, with the call to consider. The loop
 * stays: it also finds memberships that ended, and the call answers with the one that opens the price now.
 */
export function reportLoops(reading: Reading): void {
  const memo: Memo = new Map()
  walkCode(reading.root, (code) => {
    if (code.kind !== 'block') return
    const body = code.body.filter((statement) => !(statement.kind === 'html' && statement.isBlank))
    for (const [i, loop] of body.entries()) {
      if (loop.kind !== 'each') continue
      const search = searchIn(reading, loop, [body[i - 1] ?? null, body[i + 1] ?? null], memo)
      const owner = search && listOwner(search.list, reading)
      if (search && owner) sayOwner(reading, { at: search.start, owner, call: search.call })
    }
  })
}

function searchIn(reading: Reading, loop: Each, beside: readonly (Code | null)[], memo: Memo): Search | null {
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
function isWhole({ syntax, text }: Reading, { start, end }: Each): boolean {
  const written = text.slice(start, end)
  return syntax.name === 'php'
    ? /^foreach\b/i.test(written) && /(?:[;}]|endforeach)$/i.test(written)
    : /^for\b/.test(written)
}

/** Returns the single condition that a loop's body consists of. */
function onlyTest(loop: Each): { test: Code; body: readonly Code[] } | null {
  const [only, ...more] = statementsOf(loop.body)
  if (only?.kind !== 'if' || only.no !== null || more.length > 0) return null
  return { test: only.test, body: statementsOf(only.yes) }
}

function statementsOf(code: Code): readonly Code[] {
  return code.kind === 'block'
    ? code.body.filter((statement) => !(statement.kind === 'html' && statement.isBlank))
    : [code]
}

type Found =
  | { readonly kind: 'return'; readonly value: Answer }
  | { readonly kind: 'assign'; readonly value: Answer; readonly to: Name }
type Answer = 'subscription' | 'true'

function foundIn(body: readonly Code[], target: Name, reading: Reading): Found | null {
  const [first, second, ...more] = body
  if (first?.kind === 'return' && second === undefined && first.value) {
    const value = answerOf(first.value, target, reading)
    return value ? { kind: 'return', value } : null
  }
  const assign = assignIn(first)
  if (assign === null || more.length > 0 || (second && second.kind !== 'break')) return null
  const value = answerOf(assign.value, target, reading)
  if (value === null || assign.target.kind !== 'name') return null
  return { kind: 'assign', value, to: assign.target }
}

function answerOf(code: Code, target: Name, { scopes }: Reading): Answer | null {
  const value = unwrap(code)
  if (value.kind === 'literal' && value.value === true) return 'true'
  return value.kind === 'name' && scopes.bindingOf(value) === scopes.bindingOf(target) ? 'subscription' : null
}

function assigned(
  reading: Reading,
  input: { loop: Each; list: Code; price: Code; found: Found & { kind: 'assign' }; before: Code | null },
): Search | null {
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
  const call = callFor(reading, price, asks) + semicolonFor(reading, start.value.end, loop)
  return { start: around(reading.text, start.value).start, list, call }
}

function returned(
  reading: Reading,
  loop: Each,
  price: Code,
  value: Answer,
  after: Code | null,
): Search | null {
  if (after?.kind !== 'return' || !isOneValue(price, reading, [])) return null
  const last = after.value ? unwrap(after.value) : null
  const asks = value === 'true' ? 'whether' : 'which'
  if (last?.kind !== 'literal' || last.value !== (asks === 'whether' ? false : null)) return null
  const ends = reading.text.slice(after.start, after.end).endsWith(';') ? ';' : ''
  return {
    start: loop.start,
    list: loop.list,
    call: `return ${callFor(reading, price, asks)}${ends}`,
  }
}

// Without a match subscriptionForPrice returns null, while a loop keeps its initial value, which may be
// undefined in a script.
function isSafelyNull({ syntax, text }: Reading, asks: 'which' | 'whether'): boolean {
  return asks === 'whether' || syntax.name === 'php' || !/\bundefined\b/.test(text)
}

function assignIn(code: Code | null | undefined): Assign | null {
  return code?.kind === 'statement' && code.inner.kind === 'assign' ? code.inner : null
}

/** Returns true if a variable is named outside its loops. In PHP it exists after them. */
function isLoose({ scopes }: Reading, target: Name, memo: Memo): boolean {
  const binding = scopes.bindingOf(target)
  const known = memo.get(binding)
  if (known !== undefined) return known
  const found = binding.names.some((name) => !isInLoop(name, binding, scopes))
  memo.set(binding, found)
  return found
}

function isInLoop(name: Name, binding: Binding, scopes: Scopes): boolean {
  for (let up = scopes.parentOf(name); up; up = scopes.parentOf(up))
    if (up.kind === 'each' && up.target.kind === 'name' && scopes.bindingOf(up.target) === binding)
      return true
  return false
}
