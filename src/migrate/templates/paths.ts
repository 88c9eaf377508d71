import { type Change, changeOf, dtoProperties, isIndex, onlyStripe } from './api.ts'
import { around, type Chain, chainAt, priceStep, replaceSteps, type Step } from './chains.ts'
import { type Code, calledName, type Key, type Name, type Code as Piece, unwrap, walkCode } from './code.ts'
import type { Reading } from './reading.ts'
import { type Binding, loopOf, rootOf } from './scopes.ts'

/** Turns v1 paths on subscriptions into the DTO's properties, and reports those whose value changed. */
export function rewritePaths(reading: Reading): void {
  const presumed = presumedBindings(reading)
  const properties = subscriptionProperties(reading)
  walkCode(reading.root, (code) => {
    if (code.kind !== 'member' && code.kind !== 'call') return
    const chain = chainAt(code, reading.scopes)
    if (chain === null || reading.isReplaced(code)) return
    if (isKeptPart(chain, reading)) {
      say(reading, below(chain, 0), 'kept-part')
      return
    }
    // Its type, constructor and subclasses are elsewhere, so editing only some accesses would break the
    // class.
    const own = ownProperty(chain)
    if (own !== null && properties.has(own.name)) {
      noteAny(reading, below(chain, own.at))
      return
    }
    const known = knownStep(chain, reading)
    const at = priceStep(chain.steps)
    if (known?.kind === 'subscription') rewrite(reading, below(chain, known.at))
    else if (known)
      note(reading, below(chain, known.at), known.kind === 'mixed' ? 'mixed-value' : 'unknown-receiver')
    else if (isHandedOn(chain, reading)) return
    else if (at !== -1) decideByPath(reading, below(chain, at))
    else noteByName(reading, chain, presumed)
  })
}

/**
 * Finds properties of the file's classes that look like a subscription, because some access leads from them
 * to the price.
 */
function subscriptionProperties(reading: Reading): ReadonlySet<string> {
  const found = new Set<string>()
  walkCode(reading.root, (code) => {
    if (code.kind !== 'member') return
    const chain = chainAt(code, reading.scopes)
    const own = chain && ownProperty(chain)
    if (own && priceStep(chain.steps) >= own.at) found.add(own.name)
  })
  return found
}

/**
 * Returns the object's own property that a path begins with, `$this->raw[…]` or `this.raw.…`, and the step
 * below it.
 */
function ownProperty({ steps }: Chain): { name: string; at: number } | null {
  for (const [at, { on }] of steps.entries()) {
    const inner = unwrap(on)
    if (inner.kind !== 'member' || inner.style === 'index') continue
    const object = unwrap(inner.object)
    const isThis =
      object.kind === 'name' ? /^\$?(?:this|self|static)$/.test(object.name) : inner.style === 'static'
    if (isThis || isThisKeyword(object)) return { name: String(inner.key), at }
  }
  return null
}

function isThisKeyword(code: Piece): boolean {
  return code.kind === 'other' && /^this/i.test(code.what)
}

/** Returns true for a read of version 1's field on a stored part: `$item = $s->items[0]; $item['price']`. */
function isKeptPart({ steps }: Chain, { values, syntax }: Reading): boolean {
  return (
    values.kindOf(steps[0]!.on) === 'part' &&
    (syntax.name === 'php'
      ? steps.some(({ style, key }) => style === 'index' && !isIndex(key))
      : steps.some(({ key }) => key === 'price' || key === 'plan' || key === 'data'))
  )
}

/** Reports reads in version 1's style on values that may contain a subscription. */
function isHandedOn(chain: Chain, reading: Reading): boolean {
  const { handed, syntax } = reading
  if (syntax.name !== 'php') return false
  for (const [at, { on, key, style }] of chain.steps.entries()) {
    if (style !== 'index' || !handed.mayHold(on)) continue
    const path = below(chain, at)
    const base = unwrap(on)
    const isOne = base.kind === 'name' && handed.mayBeOne(base)
    const isLast = at === chain.steps.length - 1
    if (isWritten(chain.code, reading)) {
      if (!isOne) return false
      say(reading, path, 'assigned')
    } else if (key === null && isLast && isOne) say(reading, path, 'dynamic-key')
    else if (path.change.kind !== 'none' || (isOne && typeof key === 'string'))
      say(reading, path, 'unknown-value')
    else continue
    return true
  }
  return false
}

function noteByName(reading: Reading, chain: Chain, presumed: ReadonlySet<Binding>): void {
  const base = unwrap(chain.steps[0]!.on)
  const given = chain.steps.findIndex(({ on, key }) => !isIndex(key) && mayBeGivenOne(unwrap(on), reading))
  if (given !== -1) noteAny(reading, below(chain, given))
  else if (base.kind === 'name' && looksLikeSubscription(base, reading, presumed))
    note(reading, below(chain, 0), 'unknown-value')
  else if (isGivenBelow(chain, base, reading)) note(reading, below(chain, 1), 'unknown-value')
}

/** Also reports fields that no longer exist, not only those that changed. */
function noteAny(reading: Reading, path: Path): void {
  const { change, keys } = path
  const isGone = change.kind === 'none' ? onlyStripe.has(String(keys[0])) : change.kind === 'part'
  if (isGone && isV1(reading, path)) say(reading, path, 'unknown-value')
  else note(reading, path, 'unknown-value')
}

/** `it.s.status` and `this.s.status`, if other files pass a subscription by the name `s`. */
function isGivenBelow({ steps }: Chain, base: Piece, { facts, values }: Reading): boolean {
  return (
    steps.length > 1 &&
    (base.kind === 'name' || (base.kind === 'other' && base.what === 'ThisExpression')) &&
    facts.given?.names.has(String(steps[0]!.key)) === true &&
    ['unknown', 'opaque'].includes(values.kindOf(base))
  )
}

/** A path below a value that is, or may be, a subscription. */
interface Path {
  readonly chain: Chain
  readonly steps: readonly Step[]
  readonly keys: readonly Key[]
  readonly change: Change
}

function knownStep(
  { steps }: Chain,
  { values }: Reading,
): { at: number; kind: 'subscription' | 'stranger' | 'mixed' } | null {
  for (const [at, { on }] of steps.entries()) {
    const kind = values.kindOf(on)
    if (kind === 'subscription' || kind === 'stranger' || kind === 'mixed') return { at, kind }
  }
  return null
}

function below(chain: Chain, at: number): Path {
  const all = chain.steps.slice(at)
  const own = chain.isCalled ? all.slice(0, -1) : all
  const dynamic = own.findIndex(({ key }) => key === null)
  const keys = (dynamic === -1 ? own : own.slice(0, dynamic)).map(({ key }) => key!)
  return { chain, steps: all, keys, change: changeOf(keys) }
}

/* Decides a path without a known base. The path items → data → first → price → id is that of a
   subscription, but other values may have it: a shop's order, or the provider's answer. Without evidence
   of the origin it is reported, not changed. */
function decideByPath(reading: Reading, path: Path): void {
  const kind = reading.values.kindOf(path.steps[0]!.on)
  if (kind !== 'sdk' && kind !== 'foreign' && kind !== 'part') note(reading, path, 'unknown-value')
}

function rewrite(reading: Reading, path: Path): void {
  if (!isV1(reading, path)) return
  const verdict = judge(reading, path)
  if (verdict === 'edit') edit(reading, path)
  else if (verdict !== 'fine') say(reading, path, verdict)
}

type Verdict = 'edit' | 'fine' | PathCode

function judge(reading: Reading, path: Path): Verdict {
  const { change, chain, keys } = path
  if (isWritten(chain.code, reading)) return 'assigned'
  if (change.kind === 'same') return hasRest(reading, path) ? 'no-dto-property' : 'edit'
  if (change.kind === 'part') return wholeOf(path)
  if (change.kind === 'none') return keys.length === 0 ? 'dynamic-key' : 'no-dto-property'
  if (keys.length > change.used) return 'no-dto-property'
  if (isTested(chain.code, reading)) return 'edit'
  if (change.kind === 'case') return readsLetters(chain, reading) ? 'edit' : 'currency-is-upper-case'
  const isDate = reading.syntax.name === 'script' && readsDate(chain.code, reading)
  return isDate ? 'fine' : 'time-is-text-now'
}

// In PHP brackets are v1 and arrows are v2. In JavaScript both look alike, so only a changed name or a
// changed value is v1.
function isV1({ syntax }: Reading, { keys, steps, chain }: Path): boolean {
  const first = steps[0]!
  if (syntax.name === 'php') return first.style === 'index'
  if (first.key === null) return true
  if (keys.length === 0) return false
  if (keys[0] === 'items') return keys[1] === 'data'
  const { kind } = changeOf(keys)
  if (kind === 'none') return !dtoProperties.has(String(keys[0])) && !chain.isCalled && !isIndex(keys[0])
  return true
}

/** Returns true if the path continues below a value without properties. */
function hasRest({ syntax }: Reading, { keys, change }: Path): boolean {
  const rest = keys.slice(change.used)
  if (rest.length === 0 || keys[change.used - 1] === 'metadata') return false
  return !(syntax.name === 'script' && rest.length === 1 && rest[0] === 'length')
}

function edit(reading: Reading, path: Path): void {
  const { syntax, text } = reading
  const { change, steps, keys } = path
  const used = steps.slice(0, change.used)
  const isKept = syntax.name === 'script' && String(change.path) === String(keys.slice(0, change.used))
  if (isKept) return
  const insert = syntax.path(change.path!, used[0]!.isOptional)
  const isReadable = syntax.name === 'script' || used.every(({ style }) => style === 'index')
  const edits = isReadable ? replaceSteps(text, used, insert) : null
  if (edits === null) {
    say(reading, path, 'unclear-source')
    return
  }
  const last = used.at(-1)!.code
  const part = reading.scopes.parentOf(last)
  const isSimple = part?.kind === 'other' && part.what === 'simple'
  // In "$s[status]x" only braces separate the property from the text after it.
  if (isSimple && /[\w\u0080-\uffff]/.test(text[last.end] ?? ''))
    edits.splice(0, 1, { start: last.start, end: last.end, text: `{${base(reading, path)}${insert}}` })
  reading.edit(
    edits,
    `${v1Path(syntax.name, keys.slice(0, change.used))} → ${syntax.path(change.path!, false)}`,
  )
}

// Stripe's objects that no longer exist as a whole.
function wholeOf({ change, keys }: Path): Verdict {
  return keys.length === change.used && change.path !== null ? 'line-items' : 'no-dto-property'
}

function note(reading: Reading, path: Path, code: PathCode): void {
  const { change } = path
  if (!isV1(reading, path)) return
  const isSame =
    reading.syntax.name === 'script' &&
    change.kind === 'same' &&
    String(change.path) === String(path.keys.slice(0, change.used))
  if (isSame || change.kind === 'none' || hasRest(reading, path)) return
  say(reading, path, code)
}

/** Returns the text that should replace the expression. */
function suggestion(reading: Reading, path: Path): string | null {
  const { change, steps } = path
  if (change.path === null) return null
  const value = `${base(reading, path)}${reading.syntax.path(change.path, steps[0]!.isOptional)}`
  if (change.kind === 'time') return reading.syntax.seconds(value)
  return change.kind === 'case' ? reading.syntax.lowerCase(value) : value
}

function base({ text }: Reading, { steps }: Path): string {
  const { start, end } = around(text, steps[0]!.on)
  return text.slice(start, end).trim()
}

function v1Path(syntax: 'php' | 'script', keys: readonly Key[]): string {
  return keys.map((key) => (isIndex(key) ? `[${key}]` : syntax === 'php' ? `['${key}']` : `.${key}`)).join('')
}

function say(reading: Reading, path: Path, code: PathCode): void {
  const key = v1Path(reading.syntax.name, path.keys)
  const replacement = withoutReplacement.has(code) ? null : suggestion(reading, path)
  reading.find({ code, at: path.chain.code.start, reason: reasons[code](key), replacement })
}

const withoutReplacement = new Set<PathCode>(['assigned', 'no-dto-property', 'dynamic-key', 'kept-part'])

/** Reasons for leaving a path as it is, by code. */
const reasons = {
  'time-is-text-now': (key: string) =>
    `${key} was a number of seconds. In version 2 it is a text like 2026-02-01T00:00:00.000Z, so what is done with it has to be looked at.`,
  'currency-is-upper-case': (key: string) =>
    `${key} was in lower case (eur). In version 2 it is in upper case (EUR), so what it is compared with has to be looked at.`,
  'no-dto-property': (key: string) =>
    `A subscription of version 2 has no property for ${key}. Ask the provider for it, or leave it out.`,
  'line-items': (key: string) =>
    `${key} was the provider’s own list of items. In version 2 the items are a plain list, and each has id, price_id, product_id and quantity.`,
  'dynamic-key': (_: string) =>
    'The field of the subscription is only known when the page is shown. In version 2 a subscription is an object, and some fields have other names.',
  'kept-part': (key: string) =>
    `${key} is read of a part of a subscription that was kept before. In version 2 an item has id, price_id, product_id and quantity, and no array below it.`,
  assigned: (key: string) =>
    `${key} is written here. A subscription of version 2 cannot be changed by a template.`,
  'unclear-source': (_: string) =>
    'This reads a field of a subscription in a form that could not be changed automatically, such as a comment in between or unusual brackets.',
  'unknown-value': (key: string) =>
    `${key} looks like a field of a subscription of version 1, but this file does not tell where the value comes from. If it is one, put this there. If it is something else, leave it as it is.`,
  'unknown-receiver': (key: string) =>
    `${key} is read from subscriptions() of something that is not clearly a member. If it is one, put this there. If it is not, leave it as it is.`,
  'mixed-value': (key: string) =>
    `${key} is read from a variable that holds a subscription at one time and something else at another. If it is a subscription, write this instead.`,
}

type PathCode = keyof typeof reasons

/**
 * Finds variables from which a price id is read as from a subscription, so that their other reads may concern
 * one too. In PHP, where brackets distinguish v1 from v2, they are found after an edit as well.
 */
function presumedBindings(reading: Reading): ReadonlySet<Binding> {
  const found = new Set<Binding>()
  if (reading.usesSdk) return found
  walkCode(reading.root, (code) => {
    const chain = chainAt(code, reading.scopes)
    const first = chain?.steps[0]
    if (!chain || !first) return
    const base = unwrap(first.on)
    if (base.kind !== 'name') return
    const isEdited = reading.syntax.name === 'php' && first.key === 'price_id' && first.style === 'property'
    if (priceStep(chain.steps) === 0 || isEdited) found.add(reading.scopes.bindingOf(base))
  })
  return found
}

/** Returns true for an unknown variable whose name or use suggests a subscription. */
function looksLikeSubscription(name: Name, reading: Reading, presumed: ReadonlySet<Binding>): boolean {
  const kind = reading.values.kindOf(name)
  // Includes variables of a destructured parameter: `({ s }) => …`.
  const isOutside = kind === 'unknown' || kind === 'opaque'
  if (reading.syntax.name === 'script' && isOutside && reading.facts.given?.names.has(name.name)) return true
  if (reading.usesSdk || kind !== 'unknown') return false
  if (/subscription$/i.test(name.name) || presumed.has(reading.scopes.bindingOf(name))) return true
  const loop = loopOf(name, reading.scopes)
  const list = loop ? rootOf(loop.list) : null
  return list !== null && /subscriptions$/i.test(list.name)
}

/**
 * Returns true in JavaScript for a value that may be a subscription: a variable, an element of a list, or a
 * function's result.
 */
function mayBeGivenOne(code: Code, { syntax, handed, values }: Reading): boolean {
  if (syntax.name !== 'script' || !['unknown', 'opaque'].includes(values.kindOf(code))) return false
  if (code.kind === 'name') return handed.mayBeOne(code)
  return (code.kind === 'call' || (code.kind === 'member' && isIndex(code.key))) && handed.mayHold(code)
}

/** Returns true if only the existence of a value matters: `if ($x)`, `isset($x)`, `x === null`. */
function isTested(code: Code, { scopes }: Pick<Reading, 'scopes'>): boolean {
  const parent = scopes.parentOf(code)
  switch (parent?.kind) {
    case 'if':
      return parent.test === code
    case 'choice':
      return parent.test === code && parent.yes !== null
    case 'wrap':
      return isTested(parent, { scopes })
    case 'binary':
      if (parent.operator === '&&') return parent.left === code || isTested(parent, { scopes })
      if (parent.operator === '||') return isTested(parent, { scopes })
      return /^[!=]==?$/.test(parent.operator) && isNull(parent.left === code ? parent.right : parent.left)
    case 'other':
      return parent.what === 'not' || parent.what === 'isset' || parent.what === 'empty'
    default:
      return false
  }
}

function isNull(code: Code): boolean {
  const inner = unwrap(code)
  return (
    (inner.kind === 'literal' && inner.value === null) ||
    (inner.kind === 'name' && inner.name === 'undefined')
  )
}

/** Returns true if the value is written or removed. */
function isWritten(code: Code, { scopes }: Reading): boolean {
  const parent = scopes.parentOf(code)
  if (parent?.kind === 'assign') return parent.target === code
  return parent?.kind === 'other' && ['unset', 'rewritten', 'pre', 'post'].includes(parent.what)
}

/** Returns true if a text is already read as a date: `new Date(x)`, `Date.parse(x)`. */
function readsDate(code: Code, { scopes }: Reading): boolean {
  const parent = scopes.parentOf(code)
  if (parent?.kind !== 'call' || parent.args[0] !== code) return false
  const callee = unwrap(parent.callee)
  if (parent.isNew) return callee.kind === 'name' && callee.name === 'Date'
  return callee.kind === 'member' && callee.key === 'parse'
}

/** Returns true if the case of the letters is set at once, so that the original does not matter. */
function readsLetters(chain: Chain, { scopes }: Reading): boolean {
  if (chain.isCalled) return /^to(?:Locale)?(?:Upper|Lower)Case$/.test(String(chain.steps.at(-1)!.key))
  const parent = scopes.parentOf(chain.code)
  if (parent?.kind !== 'call' || parent.args.length === 0 || parent.args[0] !== chain.code) return false
  return /^(?:(?:mb_)?strto(?:upper|lower)|Str::(?:upper|lower))$/.test(calledName(parent) ?? '')
}
