import { type Change, changeOf, statusWords } from './api.ts'
import { around } from './chains.ts'
import {
  type Call,
  type Code,
  calledName,
  type Key,
  type Literal,
  type Member,
  type Pattern,
  type Span,
  unwrap,
  walkCode,
} from './code.ts'
import { sayDeclared, sayDeclaredProperty } from './declared.ts'
import { listForParam } from './lists.ts'
import type { Reading } from './reading.ts'

/**
 * Reports uses of a whole subscription that behave differently in version 2: it is destructured, passed to a
 * function for arrays, or compared with a renamed value.
 */
export function listWholes(reading: Reading): void {
  const { values } = reading
  const words: Literal[] = []
  let knowsAny = false
  walkCode(reading.root, (code) => {
    if (reading.isReplaced(code)) return
    knowsAny ||= values.kindOf(code) === 'subscription'
    if (code.kind === 'call') ofCall(reading, code)
    else if (code.kind === 'each') ofLoop(reading, code)
    else if (code.kind === 'assign') ofAssign(reading, code)
    else if (code.kind === 'function') ofFunction(reading, code)
    else if (code.kind === 'other' && code.what === 'property') sayDeclaredProperty(reading, code)
    else if (isArrayUse(reading, code)) sayArray(reading, code.start)
    else if (code.kind === 'literal' && statusWords.has(String(code.value))) words.push(code)
    if (code.kind === 'member' && code.key === 'status') ofStatus(reading, code)
  })
  if (knowsAny) for (const word of words) ofWord(reading, word)
}

/** Returns true for `(array) $s`, `[...$s]`, `$s + []`. */
function isArrayUse(reading: Reading, code: Code): boolean {
  if (reading.syntax.name !== 'php') return false
  const isOne = (inner: Code) => isSubscription(reading, inner)
  if (code.kind === 'binary') return code.operator === '+' && (isOne(code.left) || isOne(code.right))
  return (
    code.kind === 'other' && (code.what === 'cast' || code.what === 'spread') && code.children.some(isOne)
  )
}

/** Returns true for a subscription, and for a variable that may be one. */
function isSubscription({ values, handed }: Reading, code: Code): boolean {
  return values.kindOf(code) === 'subscription' || (code.kind === 'name' && handed.mayBeOne(code))
}

function ofAssign(reading: Reading, { target, value }: Code & { kind: 'assign' }): void {
  if (target.kind !== 'pattern') return
  const kind = reading.values.kindOf(value)
  if (kind === 'subscription') sayPattern(reading, target, sourceOf(reading, value))
  else if (kind !== 'subscriptions' && target.of === 'object' && reading.handed.mayHold(value))
    sayPattern(reading, target, null)
  if (kind === 'subscriptions')
    for (const entry of target.entries)
      if (entry.target.kind === 'pattern') sayPattern(reading, entry.target, null)
}

function ofLoop(reading: Reading, { list, target, start }: Code & { kind: 'each' }): void {
  const kind = reading.values.kindOf(list)
  if (kind === 'subscriptions' && target.kind === 'pattern') sayPattern(reading, target, null)
  if (target.kind === 'pattern' && target.of === 'object' && reading.handed.mayHold(list))
    sayPattern(reading, target, null)
  if (isSubscription(reading, list) && reading.syntax.name === 'php') sayArray(reading, start)
}

function ofFunction(reading: Reading, fn: Code & { kind: 'function' }): void {
  ofParams(reading, fn)
  sayDeclared(reading, fn)
}

function ofParams(reading: Reading, fn: Code & { kind: 'function' }): void {
  const call = reading.scopes.parentOf(fn)
  if (call?.kind !== 'call') {
    if (reading.syntax.name === 'php' || !reading.handed.receives(fn)) return
    for (const param of fn.params)
      if (param.kind === 'pattern' && takesField(param)) sayPattern(reading, param, null)
    return
  }
  for (const [i, param] of fn.params.entries()) {
    const list = param.kind === 'pattern' ? listForParam(call, fn, i) : null
    if (param.kind === 'pattern' && list && reading.values.kindOf(list) === 'subscriptions')
      sayPattern(reading, param, null)
  }
}

// A destructured object may itself hold a subscription.
function takesField({ entries }: Pattern): boolean {
  return entries.some(({ key }) => key !== null && !['none', 'same'].includes(changeOf([key]).kind))
}

function sourceOf({ text }: Reading, code: Code): string {
  const { start, end } = around(text, code)
  return text.slice(start, end).trim()
}

/**
 * Checks `A::get($s, 'items.data.0.price.id')`, `array_key_exists('status', $s)`,
 * `array_column($subscriptions, 'status')`.
 */
function ofCall(reading: Reading, call: Call): void {
  const { values, syntax } = reading
  const name = calledName(call) ?? ''
  const index = call.args.findIndex((arg) => isSubscription(reading, arg))
  const isKnown = index !== -1 || call.args.some((arg) => values.kindOf(arg) === 'subscriptions')
  if (!isKnown && !call.args.some(reading.handed.mayHold)) return
  const paths = call.args.filter(
    (arg): arg is Literal => arg.kind === 'literal' && isV1Path(arg.value, reading),
  )
  if (paths.length > 0 && (isKnown || name === 'array_column'))
    sayPath(reading, call, index === -1 ? null : call.args[index]!, paths[0]!)
  else if (syntax.name === 'php' && shows.test(name)) sayWhole(reading, call.start)
  else if (syntax.name === 'php' && (call.args.some(asksForArrays) || (index !== -1 && forArrays.test(name))))
    sayArray(reading, call.start)
}

const forArrays =
  /^(?:array_\w+|is_array|count|sizeof|extract|implode|current|reset|key|gettype|get_debug_type|A::\w+)$/

function asksForArrays(arg: Code): boolean {
  return arg.kind === 'literal' && arg.value === 'is_array'
}

// Functions that print everything in a value.
const shows =
  /^(?:json_encode|serialize|var_export|var_dump|print_r|http_build_query|array_walk_recursive|dump|dd)$/

function isV1Path(value: Literal['value'], { syntax }: Reading): boolean {
  if (typeof value !== 'string' || !/^[a-z][\w.[\]]*$/.test(value)) return false
  const change = changeOf(keysOf(value))
  return change.kind !== 'none' && (syntax.name === 'php' || String(change.path) !== value)
}

function keysOf(path: string): string[] {
  return path.replace(/\[(\d+)\]/g, '.$1').split('.')
}

function sayPath(reading: Reading, call: Call, on: Code | null, path: Literal): void {
  const change = changeOf(keysOf(String(path.value)))
  if (on === null && change.kind === 'same' && String(change.path) === path.value && takesObjects(call))
    return
  const value = change.path && on ? sourceOf(reading, on) + reading.syntax.path(change.path, false) : null
  reading.find({
    code: 'helper-access',
    at: call.start,
    reason: `This reads ${path.value} of a subscription by a helper for arrays. A subscription of version 2 is an object${
      on ? '.' : ', and the field is a property of each.'
    }`,
    replacement:
      asks(call) && value !== null ? `isset(${value})` : replacementFor(reading, change, value, on === null),
  })
}

function replacementFor(
  { syntax }: Reading,
  { kind, path }: Change,
  value: string | null,
  isOfList: boolean,
): string | null {
  if (isOfList) return path && `'${path.join('.')}'`
  return value !== null && kind === 'time' ? syntax.seconds(value) : value
}

function asks(call: Call): boolean {
  return /^(?:array_)?key_exists$/.test(calledName(call) ?? '')
}

// array_column reads public properties as well.
function takesObjects(call: Call): boolean {
  return calledName(call) === 'array_column'
}

function sayWhole(reading: Reading, at: number): void {
  reading.find({
    code: 'shown-whole',
    at,
    reason:
      'Subscriptions are put out as a whole here. In version 2 they have other fields, and times are texts: look at what reads this.',
    replacement: null,
  })
}

function sayArray(reading: Reading, at: number): void {
  reading.find({
    code: 'used-as-array',
    at,
    reason: 'A subscription is used as an array here. In version 2 it is an object with properties.',
    replacement: null,
  })
}

function ofWord(reading: Reading, word: Literal): void {
  const text = reading.text.slice(word.start, word.end)
  const v2 = statusWords.get(String(word.value))!
  reading.find({
    code: 'status-word',
    at: word.start,
    reason: `The status ${word.value} of version 1 is called ${v2} in version 2. If this is compared with a status, put this there.`,
    replacement: text.replace(String(word.value), v2),
  })
}

/**
 * Reports a status whose word leaves this place, for a translation, a label or a class name: one word of
 * version 1 is another in version 2. A comparison is checked by its literal, and a status shown as it is
 * stays a word for people.
 */
function ofStatus(reading: Reading, member: Member): void {
  const { values, taint, syntax } = reading
  const isOne = isSubscription(reading, member.object) || values.kindOf(member.object) === 'stranger'
  if (!isOne && !(taint.holds(member.object) && !taint.isContainer(member.object))) return
  if (staysHere(reading, member) || reading.said().includes(member.start)) return
  const value = sourceOf(reading, member.object)
  const [own, ours] = [syntax.path(['provider_status'], false), syntax.path(['status'], false)]
  reading.find({
    code: 'status-leaves',
    at: member.start,
    reason:
      'The word of a status is used outside of this line. The status incomplete_expired of version 1 is expired in version 2: look at what reads it, or take the word of version 1.',
    replacement: `(${value}${own} ?? ${value}${ours})`,
  })
}

function staysHere(reading: Reading, code: Code): boolean {
  const { scopes, text, syntax } = reading
  const parent = scopes.parentOf(code)
  switch (parent?.kind) {
    case 'statement':
    case 'if':
    case 'block':
      return true
    case 'assign':
      // A write is reported where it stands.
      return parent.target === code
    case 'wrap':
      return staysHere(reading, parent)
    case 'choice':
      return (parent.test === code && parent.yes !== null) || staysHere(reading, parent)
    case 'return':
    case 'function':
      return isReturnedHere(reading, code)
    case 'binary':
      if (/^[!=]==?$/.test(parent.operator)) return true
      // `$s->provider_status ?? $s->status` is the word of version 1.
      if (parent.operator === '??' && isProviderStatus(parent.left)) return true
      if (/^(?:\?\?|\|\||&&)$/.test(parent.operator))
        return (parent.operator === '&&' && parent.left === code) || staysHere(reading, parent)
      // Between blanks or marks it is shown; beside a letter or a dot it is a part of a name.
      if (syntax.name === 'php' ? parent.operator === '.' : parent.operator === '+')
        return [parent.left, parent.right].every(
          (side) => side === code || isApart(side, parent.left === side),
        ) &&
          (isShownPart(parent.left) || isShownPart(parent.right))
          ? staysHere(reading, parent)
          : false
      return false
    case 'call':
      if (parent.callee === code) return false
      return /^(?:in_array|includes|esc|html|h|htmlspecialchars|e|is_string|is_null|print|printf|vprintf|strcmp|log)$/.test(
        calledName(parent) ?? '',
      )
    case 'member':
      return parent.object === code && /^(?:length|toString)$/.test(String(parent.key))
    case 'other':
      break
    default:
      return false
  }
  if (/^(?:not|isset|empty|match|SwitchStatement|switch)$/.test(parent.what))
    return parent.children[0] === code
  if (parent.what === 'unset' || parent.what === 'rewritten') return true
  if (parent.what === 'echo') return isShownAlone(text, code)
  if (/^(?:print|JSXExpressionContainer)$/.test(parent.what)) return isShownAlone(text, code)
  if (/^(?:part|simple|encapsed|template)$/.test(parent.what)) {
    const whole = /^(?:part|simple)$/.test(parent.what) ? (scopes.parentOf(parent) ?? parent) : parent
    const isAll = whole.kind === 'other' && whole.children.length === 1
    return isShownAlone(text, code, whole) && (!isAll || staysHere(reading, whole))
  }
  return false
}

/**
 * Returns true for a function that this file calls where its result stays, and for the callback of a list
 * whose words are joined or only tested.
 */
function isReturnedHere(reading: Reading, code: Code): boolean {
  const { scopes, taint, root } = reading
  let fn: Code | null = scopes.parentOf(code)
  while (fn && fn.kind !== 'function') fn = scopes.parentOf(fn)
  if (fn === null) return false
  const parent = scopes.parentOf(fn)
  if (parent?.kind === 'call' && parent.callee !== fn) {
    const name = calledName(parent) ?? ''
    if (/^(?:filter|some|every|find|findIndex|array_filter|usort|uasort|sort)$/.test(name)) return true
    const joined = /^(?:map|array_map)$/.test(name) ? scopes.parentOf(parent) : null
    const call = joined?.kind === 'member' ? scopes.parentOf(joined) : joined
    return (
      call?.kind === 'call' &&
      /^(?:implode|join|count)$/.test(calledName(call) ?? '') &&
      staysHere(reading, call)
    )
  }
  const calls: Call[] = []
  const found = fn
  walkCode(root, (each) => {
    if (each.kind === 'call' && taint.functionsBy(each).includes(found)) calls.push(each)
  })
  return calls.length > 0 && calls.every((call) => staysHere(reading, call))
}

function isProviderStatus(code: Code): boolean {
  const inner = unwrap(code)
  return inner.kind === 'member' && inner.key === 'provider_status'
}

function isShownPart(code: Code): boolean {
  const inner = unwrap(code)
  return inner.kind === 'literal' && typeof inner.value === 'string'
}

function isApart(side: Code, isBefore: boolean): boolean {
  const inner = unwrap(side)
  if (inner.kind !== 'literal') return true
  const value = String(inner.value)
  return isBefore ? !/[\w.\-:/="']$/.test(value) : !/^[\w.\-:/]/.test(value)
}

/** Returns false where the text around makes it a part of a name: `class="is-<?= $s['status'] ?>"`. */
function isShownAlone(
  text: string,
  { start, end }: Code,
  whole: Span = { start: 0, end: text.length },
): boolean {
  const [from, to] = whole.start === 0 ? [0, text.length] : [whole.start + 1, whole.end - 1]
  const before = text
    .slice(Math.max(from, start - 40), start)
    .replace(/(?:<\?(?:=|php echo)|<%[-=~_]*|\$?\{+)\s*(?:["'`])?$/, '')
  const after = text.slice(end, Math.min(to, end + 40)).replace(/^(?:["'`])?\s*(?:;?\s*\?>|[-_]?%>|\}+)/, '')
  return !/[\w.\-:/="']$/.test(before) && !/^[\w.\-:/]/.test(after)
}

interface Taken {
  readonly path: readonly Key[]
  readonly to: string
  readonly change: Change
}

/**
 * Reports a destructuring of a subscription whose fields are gone or have another value. `source` is the
 * subscription, if the place names it.
 */
function sayPattern(reading: Reading, pattern: Pattern, source: string | null): void {
  const taken = takenBy(reading, pattern, [])
  if (reading.syntax.name === 'script' && taken?.every(isSame)) return
  reading.find({
    code: 'destructured',
    at: pattern.start,
    reason: `This takes a subscription apart.${taken?.some(isTime) ? ' Its times are texts like 2026-02-01T00:00:00.000Z in version 2.' : ''} In version 2 it is an object whose fields are named otherwise${
      reading.syntax.name === 'php' ? ', and PHP cannot take objects apart' : ''
    }.`,
    replacement: taken === null ? null : assignmentsFor(reading, taken, source),
  })
}

function isSame({ change, path }: Taken): boolean {
  return change.kind === 'same' && String(change.path) === String(path)
}

function isTime({ change }: Taken): boolean {
  return change.kind === 'time'
}

/** Returns the fields that a pattern takes, including nested ones; null if a part is unknown. */
function takenBy(reading: Reading, pattern: Pattern, above: readonly Key[]): Taken[] | null {
  const all: Taken[] = []
  for (const { key, target } of pattern.entries) {
    if (key === null) return null
    const path = [...above, key]
    const inner = target.kind === 'pattern' ? takenBy(reading, target, path) : [leafOf(reading, target, path)]
    if (inner === null) return null
    all.push(...inner)
  }
  return all
}

function leafOf({ text }: Reading, target: Code, path: readonly Key[]): Taken {
  return {
    path,
    to: text.slice(target.start, target.end),
    change: changeOf(path),
  }
}

function assignmentsFor(reading: Reading, taken: readonly Taken[], source: string | null): string | null {
  const isComplete = taken.every(
    ({ change, path }) => change.path?.length === 1 && change.used === path.length,
  )
  if (!isComplete) return null
  if (reading.syntax.name === 'script')
    return `{ ${taken.map(({ change, to }) => (change.path![0] === to ? to : `${change.path![0]}: ${to}`)).join(', ')} }`
  if (source === null) return null
  return taken
    .map(({ change, to }) => {
      const value = source + reading.syntax.path(change.path!, false)
      return `${to} = ${isTime({ change, path: [], to }) ? reading.syntax.seconds(value) : value};`
    })
    .join(' ')
}
