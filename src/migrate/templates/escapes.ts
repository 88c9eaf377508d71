import { lineIndex } from '../lines.ts'
import { changeOf, isIndex, onlyStripe } from './api.ts'
import {
  type Call,
  type Code,
  calledName,
  type Fn,
  type Key,
  type Member,
  type Pattern,
  receiverOf,
  unwrap,
  walkCode,
} from './code.ts'
import { refusingType } from './declared.ts'
import { type Flow, purchaseFlow } from './flow.ts'
import { changedQuery } from './queries.ts'
import type { Reading } from './reading.ts'
import { rootOf } from './scopes.ts'
import { framework, isCarrier, isDataRead, isMade, isReference, isSelf } from './taint.ts'

/**
 * Reports each place at which a tracked value reaches code that the analysis does not track. Every construct
 * that is not handled here is such a place. One on a line with another finding is not repeated.
 */
export function listEscapes(reading: Reading): void {
  const { flow, taint, values } = reading
  const lineOf = lineIndex(reading.text)
  const reported = new Set(reading.said().map(lineOf))
  const say = (at: number, reason: string) => {
    const line = lineOf(at)
    if (reported.has(line)) return
    reported.add(line)
    reading.find({ code: 'not-followed', at, reason, replacement: null })
  }
  walkCode(reading.root, (code) => {
    if (reading.isReplaced(code)) return
    if (code.kind === 'function') {
      const where = ofFunction(reading, code)
      if (where !== null) say(code.start, sentence(flow, where))
    }
    const type = flow.isFormKnown ? null : refusingType(reading, code)
    if (type !== null) say(code.start, sentence(flow, `is declared ${type}`))
    const dynamic = reachedByText(reading, code)
    if (dynamic !== null) say(code.start, dynamic)
    if (values.kindOf(code) === 'data') {
      const reason = flow === purchaseFlow ? ofData(reading, code) : null
      if (reason !== null) say(code.start, reason)
      return
    }
    const where = taint.holds(code) ? ofValue(reading, code) : null
    if (where !== null) say(code.start, sentence(flow, where))
  })
}

function sentence({ subject }: Flow, where: string): string {
  return `${subject} ${where}. This command does not follow it there: look at what reads it.`
}

/** Returns where a tracked value goes untracked, as the rest of a sentence; null if it stays tracked. */
function ofValue(reading: Reading, code: Code): string | null {
  const parent = reading.scopes.parentOf(code)
  const { values, taint } = reading
  if (parent === null) return null
  switch (parent.kind) {
    // Not used further; the parts around it that hold it are visited themselves.
    case 'block':
    case 'statement':
    case 'wrap':
    case 'choice':
    case 'if':
      return null
    // Written to, or a default value: tracked by the variable.
    case 'pattern':
    case 'name':
      return null
    case 'assign':
      return parent.value === code ? ofAssignment(reading, parent) : null
    case 'binary':
      return ofBinary(reading, parent, code)
    case 'each':
      return parent.list === code ? ofLoop(reading, parent) : null
    case 'member':
      return parent.object === code ? ofMember(reading, parent, code) : 'is used as a key'
    case 'call':
      return ofCall(reading, parent, code)
    case 'return':
      return ofReturned(reading, parent, code)
    case 'function':
      return parent.body === code ? ofReturned(reading, parent, code) : null
    case 'other':
      return ofOther(reading, parent, code, values.kindOf(code), taint)
    case 'word':
    case 'literal':
    case 'break':
    case 'html':
      return 'is used in a way that is not known'
    default:
      throw new TypeError(`unhandled ${parent satisfies never}`)
  }
}

function ofAssignment(
  reading: Reading,
  { target, operator, value }: Code & { kind: 'assign' },
): string | null {
  if (!/^(?:=|\?\?=|\|\|=|&&=)$/.test(operator))
    return operator === '+=' ? null : 'is put together with something else'
  if (target.kind === 'name') return null
  if (target.kind === 'pattern') return ofPattern(reading, target, value)
  if (target.kind !== 'member') return 'is stored in a place that is not known'
  const root = rootOf(target)
  if (root === null) return 'is put into what another call gives'
  if (superglobals.test(root.name))
    return `is put into ${reading.text.slice(root.start, root.end)}, which every file can read`
  const isMap = reading.syntax.name === 'script' && !isSelf(root)
  if (target.style !== 'index' && target.key === null && !isMap)
    return 'is put into a property whose name only running the code tells'
  return null
}

const superglobals =
  /^(?:_SESSION|_COOKIE|_SERVER|_ENV|_REQUEST|_GET|_POST|GLOBALS|window|globalThis|global|process)$/

// Elements taken by position are tracked; a name takes a field of a subscription.
function ofPattern(reading: Reading, pattern: Code & { kind: 'pattern' }, value: Code): string | null {
  const kind = reading.values.kindOf(value)
  const isMap = reading.taint.isContainer(value) && !reading.flow.isSource(kind)
  if (!reading.flow.isFormKnown)
    return isMap || takesElements(reading, pattern, value) ? null : 'is taken apart'
  if (pattern.of === 'list' || isMap) return null
  if (reading.syntax.name === 'script' && pattern.entries.every(({ key }) => isSameField(reading, key)))
    return null
  return 'is taken apart'
}

/** Returns true for `array_chunk($list, 2) as [$first]`, `[[...$a], [...$b]] as [$first]`. */
function isOfLists(reading: Reading, list: Code, { of, entries }: Pattern): boolean {
  if (of !== 'list' || entries.some(({ target }) => target.kind === 'pattern')) return false
  const inner = unwrap(list)
  if (inner.kind === 'call') return calledName(inner) === 'array_chunk'
  if (inner.kind !== 'other' || inner.what !== 'list') return false
  return inner.children.every((entry) => {
    const value = entry.kind === 'other' && entry.what === 'entry' ? entry.children.at(-1)! : entry
    return isList(reading, value)
  })
}

/** Returns true for `[$first] = $list`: elements that are not destructured themselves. */
function takesElements(reading: Reading, { of, entries }: Pattern, value: Code): boolean {
  return of === 'list' && isList(reading, value) && entries.every(({ target }) => target.kind !== 'pattern')
}

function isSameField({ flow }: Reading, key: string | number | null): boolean {
  return (
    flow.isFormKnown &&
    key !== null &&
    changeOf([key]).kind === 'same' &&
    String(changeOf([key]).path) === String(key)
  )
}

function ofLoop(reading: Reading, { list, target }: Code & { kind: 'each' }): string | null {
  if (!reading.flow.isFormKnown) {
    if (!isList(reading, list)) return 'is gone through, and may be one itself'
    // `for (const [i, purchase] of list.entries())`
    const isPairs = list.kind === 'call' && receiverOf(list) !== null && calledName(list) === 'entries'
    if (target.kind === 'pattern' && !isPairs && !isOfLists(reading, list, target)) return 'is taken apart'
  } else if (target.kind === 'pattern') return ofPattern(reading, target, list)
  return target.kind === 'pattern' || target.kind === 'name' || target.kind === 'member'
    ? null
    : 'is taken apart'
}

function ofBinary(
  reading: Reading,
  { operator, left, right }: Code & { kind: 'binary' },
  code: Code,
): string | null {
  if (/^(?:\?\?|\|\||&&)$/.test(operator)) return null
  const isPhp = reading.syntax.name === 'php'
  if (operator === '+' && isPhp)
    return reading.taint.isContainer(code) ? null : 'is put together with something else'
  const beside = unwrap(left === code ? right : left)
  if (/^[!=]==?$/.test(operator)) {
    if (reading.values.kindOf(beside) === 'nothing') return null
    // In JavaScript both versions compare objects by identity, not by content.
    if (!isPhp && reading.flow.isFormKnown && /^[!=]==$/.test(operator)) return null
  }
  return 'is compared with something'
}

/**
 * Returns why a read below a value is not tracked. Reads of a known subscription are changed or reported
 * elsewhere.
 */
function ofMember(reading: Reading, member: Member, code: Code): string | null {
  const { key } = member
  const { values, syntax, scopes, flow } = reading
  const kind = values.kindOf(code)
  const parent = scopes.parentOf(member)
  const isCalled = parent?.kind === 'call' && parent.callee === member
  if (isCalled) return ofMethod(reading, parent, code)
  if (isTarget(reading, member)) return null
  if (flow.isOne(kind)) return null
  if (syntax.name === 'php') return ofPhpMember(reading, member, code)
  if (!flow.isFormKnown) return ofUnknownForm(reading, member, code)
  if (isIndex(key) || key === 'length') return null
  if (flow.isList(kind)) return key === null ? null : `is a list, and ".${key}" is read of it`
  if (key === null)
    return reading.taint.isContainer(code) ? null : 'is read by a key that only running the code tells'
  if (kind === 'part')
    return /^(?:id|quantity|price_id|product_id|data|price|plan)$/.test(String(key))
      ? null
      : `may be an item, and ".${key}" is read of it`
  if (reading.taint.isContainer(code) || isSameField(reading, key)) return null
  // Version 1 had `items.data`, version 2 has a list.
  if (key === 'items' && parent?.kind === 'member' && parent.key !== 'data') return null
  const change = changeOf([key])
  if (change.kind !== 'none' || onlyStripe.has(String(key)))
    return `may be read here by ".${key}", which version 2 has otherwise or not at all`
  return null
}

/** Returns why reading a key in JavaScript is not tracked if any field may have changed. */
function ofUnknownForm(reading: Reading, { key }: Member, code: Code): string | null {
  const { taint, flow, values } = reading
  if (taint.isContainer(code)) return flow.isList(values.kindOf(code)) ? ofListKey(key) : null
  if (key !== null && (flow.isOfVersion2(key) || isMade(code, reading.scopes))) return null
  return key === null
    ? 'is read by a key that only running the code tells'
    : `may be read here by ".${key}", which version 2 may have otherwise or not at all`
}

/** Version 1 may have stored purchases by their price. */
function ofListKey(key: Key | null): string | null {
  return key === 'length' || isIndex(key) ? null : 'is looked up by a key, and is a list in version 2'
}

// A stored value is checked where it comes from.
function isTarget({ scopes }: Reading, member: Member): boolean {
  let at: Code = member
  for (let up = scopes.parentOf(at); up; at = up, up = scopes.parentOf(at)) {
    if (up.kind === 'assign') return up.target === at
    if (up.kind !== 'member' || up.object !== at) return false
  }
  return false
}

function ofPhpMember(reading: Reading, { key, style, object }: Member, code: Code): string | null {
  const kind = reading.values.kindOf(code)
  const { flow } = reading
  if (style !== 'index') {
    // Version 1 had arrays, so an arrow belongs to version 2, or to an object that holds one.
    return flow.isList(kind) ? 'is a list, and a property of it is read' : null
  }
  if (!flow.isFormKnown && flow.isList(kind)) return ofListKey(key)
  if ((isIndex(key) && flow.isFormKnown) || kind === 'part' || flow.isList(kind)) return null
  if (reading.taint.isContainer(object)) return null
  return key === null
    ? 'may be read here by a key that only running the code tells'
    : `may be read here by [${isIndex(key) ? key : `'${key}'`}], and in version 2 it is an object without brackets`
}

function ofMethod(reading: Reading, call: Call, on: Code): string | null {
  const { values, syntax, flow } = reading
  const name = calledName(call) ?? ''
  const kind = values.kindOf(on)
  if (flow.isOne(kind)) {
    if (syntax.name === 'php' || flow.isOfVersion2(name)) return null
    return `is asked for ".${name}()"`
  }
  if (isCarrier(call)) return null
  // A function of the site with the same name is another one: a list has its own methods only.
  const isOwn = syntax.name === 'script' && isList(reading, on) && scriptMethods.test(name)
  if (!isOwn && isDefined(reading, call)) return null
  if (/^(?:then|catch|finally)$/.test(name)) return ofCallbacks(reading, call)
  if (syntax.name === 'script' && !flow.isFormKnown && !isList(reading, on))
    return `is asked for ".${name}()", and may be a text`
  if (!flow.isFormKnown && (readsValues.test(name) || (sorts.test(name) && call.args.length === 0)))
    return `is asked for ".${name}()", which compares what is in it`
  if ((syntax.name === 'php' ? phpMethods : scriptMethods).test(name)) return ofCallbacks(reading, call)
  return `is asked for ".${name}()", which is not known`
}

const scriptMethods =
  /^(?:map|filter|find|findLast|findIndex|findLastIndex|some|every|forEach|flatMap|reduce|reduceRight|sort|toSorted|reverse|toReversed|slice|at|concat|includes|indexOf|lastIndexOf|push|unshift|pop|shift|keys|flat|entries|values|get|has)$/
// Results that depend on the form of the elements: a price id equals itself, an object does not.
const readsValues = /^(?:includes|indexOf|lastIndexOf|get|has)$/
const sorts = /^(?:sort|toSorted)$/
const phpMethods =
  /^(?:first|last|nth|filter|map|find|each|values|slice|limit|offset|sortBy|count|isEmpty|isNotEmpty|current|next|valid|rewind|key|send|getReturn)$/

/** Returns why the callback that iterates over a list is not tracked. */
function ofCallbacks(reading: Reading, call: Call): string | null {
  const name = calledName(call) ?? ''
  if (withoutFunction.test(name)) return null
  const isPlain = reading.syntax.name === 'php' && receiverOf(call) === null
  const place = isPlain && !/^(?:array_map|iterator_apply)$/.test(name) ? 1 : 0
  const arg = call.args[place]
  if (!arg || isFollowedFunction(reading, arg)) return null
  return `goes through ${reading.text.slice(arg.start, arg.end).slice(0, 40)}, which is not known`
}

const withoutFunction =
  /^(?:slice|at|concat|includes|indexOf|lastIndexOf|push|unshift|pop|shift|keys|flat|reverse|toReversed|first|last|nth|limit|offset|values|count|current|next|entries|get|has|from|freeze|fromEntries|isArray|all|resolve|Boolean|Map|Set)$/

/** Returns true for a callback that names the functions that it is: of this file, or defined by the site. */
function isFollowedFunction(reading: Reading, arg: Code): boolean {
  const inner = unwrap(arg)
  const { taint } = reading
  if (taint.isOnlyFunctions(inner)) return true
  switch (inner.kind) {
    case 'name': {
      if (reading.scopes.bindingOf(inner).writes.length > 0) return false
      return hasDefined(reading, reading.imported.get(inner.name) ?? inner.name) || inner.name === 'Boolean'
    }
    case 'literal':
      // array_map(null, $list) and array_filter($list, null) call nothing.
      return inner.value === null || hasDefined(reading, String(inner.value).replace(/^.*(?:::|\\)/, ''))
    case 'call':
      return isReference(inner) && isDefined(reading, inner)
    default:
      return false
  }
}

/** Returns true for a function of the site itself, by name. */
function isDefined(reading: Reading, call: Call): boolean {
  const { taint } = reading
  const callee = unwrap(call.callee)
  if (callee.kind === 'name' && reading.scopes.bindingOf(callee).writes.length > 0)
    return taint.isOnlyFunctions(callee)
  if (taint.functionsBy(call).length > 0) return true
  const name = (calledName(call) ?? '').replace(/^.*(?:::|\\)/, '')
  const receiver = receiverOf(call)
  const root = receiver && rootOf(receiver)
  if (root && framework.has(root.name)) return false
  if (receiver && !root && !isNewObject(receiver) && !taint.holds(receiver)) return false
  const known = reading.imported.get(name) ?? name
  return hasDefined(reading, call.isNew ? `new ${known}` : known)
}

function isNewObject(code: Code): boolean {
  const inner = unwrap(code)
  return inner.kind === 'call' && inner.isNew
}

function hasDefined({ facts, syntax }: Reading, name: string): boolean {
  return name.startsWith('default ')
    ? true
    : facts.given?.defined.has(`${syntax.name} ${name.toLowerCase()}`) === true
}

/** Returns why passing a value to a call is not tracked. */
function ofCall(reading: Reading, call: Call, code: Code): string | null {
  const { syntax, taint, values } = reading
  if (call.callee === code) return ofCalled(reading, call)
  const name = calledName(call) ?? ''
  if (values.kindOf(call) === 'sdk') return "is given to the provider's own interface"
  if (isReference(call)) return 'is given to a function that is only referred to'
  if (isCarrier(call)) return ofCarried(reading, code)
  if (isDefined(reading, call))
    return taint.functionsBy(call).some(hasReferences(call, code)) ? 'is given by reference' : null
  if (syntax.name === 'php' && receiverOf(call) === null) return ofPhpFunction(reading, call, code, name)
  if (syntax.name === 'script' && receiverOf(call) !== null && isForList(reading, call, code, name))
    return null
  if (syntax.name === 'script' && isListFunction(reading, call, name) && isList(reading, code))
    return ofCallbacks(reading, call)
  return `is given to ${name === '' ? 'a function' : `${name}()`}, which is not known`
}

function hasReferences(call: Call, code: Code) {
  return (fn: Fn) => fn.byReference?.includes(call.args.indexOf(code)) === true
}

// `$subscriptions(...)`: calling the result returns one.
function ofCalled(reading: Reading, call: Call): string | null {
  return isReference(call) && reading.taint.functionsBy(call).length === 0
    ? 'is only referred to, and called elsewhere'
    : null
}

/** Returns true for arguments of a list's own method that stay tracked: a callback, or another element. */
function isForList(reading: Reading, call: Call, code: Code, name: string): boolean {
  const { taint } = reading
  if (unwrap(code).kind === 'function' || taint.functionsIn(code).length > 0) return scriptMethods.test(name)
  const isFirst = call.args[0] === code
  const receiver = receiverOf(call)!
  const isOnList = taint.isContainer(receiver) || taint.holds(receiver)
  if (/^reduce(?:Right)?$/.test(name)) return isOnList && !isFirst
  if (!reading.flow.isFormKnown && readsValues.test(name)) return false
  return isOnList && /^(?:push|unshift|concat|includes|indexOf)$/.test(name)
}

// `Array.from(list)`, `Object.values(list)`
function isListFunction({ flow }: Reading, call: Call, name: string): boolean {
  const owner = receiverOf(call)
  const word = owner && unwrap(owner)
  if (word?.kind !== 'name')
    return name === 'Boolean' || (flow.isFormKnown && call.isNew && /^(?:Map|Set)$/.test(name))
  if (word.name === 'Array') return /^(?:from|isArray)$/.test(name)
  if (word.name === 'Object')
    return /^(?:values|keys|freeze)$/.test(name) || (flow.isFormKnown && name === 'fromEntries')
  return word.name === 'Promise' && /^(?:all|resolve)$/.test(name)
}

function isList({ taint, values, flow }: Reading, code: Code): boolean {
  return flow.isList(values.kindOf(code)) || taint.isContainer(code)
}

// Variables of a template are identified by name.
function ofCarried(reading: Reading, code: Code): string | null {
  const inner = unwrap(code)
  if (inner.kind === 'other' && (inner.what === 'list' || inner.what === 'ObjectExpression'))
    return inner.children.every((entry) => isNamedEntry(reading, entry))
      ? null
      : 'is shown under a name that only running the code tells'
  if (inner.kind === 'call')
    return calledName(inner) === 'compact' || isDefined(reading, inner) ? null : 'is given to a template'
  if (inner.kind !== 'name') return 'is given to a template'
  const { writes } = reading.scopes.bindingOf(inner)
  const areNamed = writes.every((write) => {
    if (write.kind === 'put') return true
    if (write.kind !== 'value') return false
    const value = unwrap(write.value)
    return value.kind === 'other' && value.children.every((entry) => isNamedEntry(reading, entry))
  })
  return areNamed ? null : 'is given to a template'
}

function isNamedEntry({ taint }: Reading, entry: Code): boolean {
  if (!taint.holds(entry)) return true
  return (
    entry.kind === 'other' &&
    entry.what === 'entry' &&
    entry.children[0]?.kind === 'literal' &&
    entry.children.length === 2
  )
}

function ofPhpFunction(reading: Reading, call: Call, code: Code, name: string): string | null {
  if (boolish.test(name) || (name === 'e' && call.args[0] === code)) return null
  const inner = unwrap(code)
  const isFunction =
    inner.kind === 'function' || (inner.kind === 'name' && reading.taint.functionsIn(inner).length > 0)
  // array_map(null, $a, $b) combines lists; with one list it returns that list.
  if (name === 'array_map') {
    const [callback] = call.args
    if (callback?.kind === 'literal' && callback.value === null) return 'is put together with another list'
  }
  if (through.test(name)) {
    if (!isFunction && !isListOrSpread(reading, code)) return `is given to ${name}(), which takes an array`
    return ofCallbacks(reading, call)
  }
  if (name === 'call_user_func' || name === 'call_user_func_array')
    return isFollowedFunction(reading, call.args[0]!) && isPlainArgument(reading, code)
      ? null
      : `is given to ${name}()`
  if (name === 'array_column') {
    const isSame = call.args
      .slice(1)
      .every(
        (arg) => arg.kind === 'literal' && (arg.value === null || isSameField(reading, arg.value as string)),
      )
    return isSame && isList(reading, code) ? null : 'is read by array_column()'
  }
  if (!reading.flow.isFormKnown && name === 'array_key_exists') return 'is looked up by a key'
  if (onLists.test(name)) {
    if (isListOrSpread(reading, code)) return null
    return `is given to ${name}(), which takes an array`
  }
  if (puts.test(name)) return null
  return `is given to ${name === '' ? 'a function' : `${name}()`}, which is not known`
}

function isPlainArgument(_: Reading, code: Code): boolean {
  return code.kind !== 'other' || code.what === 'list'
}

function isListOrSpread(reading: Reading, code: Code): boolean {
  return (
    isList(reading, code) ||
    (code.kind === 'other' && code.what === 'variadic' && isList(reading, code.children[0]!))
  )
}

const boolish = /^(?:is_null|boolval|compact|isset|empty)$/
// Functions that iterate over a list with a callback.
const through =
  /^(?:array_(?:map|filter|walk|reduce|find|find_key|any|all)|usort|uasort|uksort|iterator_apply|A::(?:map|filter|find|every|some|each))$/
// Functions that keep the elements of a list unchanged, or only count them.
const onLists =
  /^(?:count|sizeof|array_(?:values|reverse|slice|merge|keys|key_first|key_last|key_exists|pop|shift|chunk|push|unshift|is_list)|current|reset|end|next|prev|key|iterator_to_array|iterator_count|is_array|is_iterable|A::(?:first|last|nth|slice|merge))$/
const puts = /^(?:array_push|array_unshift)$/

/** Returns why a function's result is not tracked. */
function ofReturned(reading: Reading, from: Code, value: Code): string | null {
  let fn: Code | null = from
  while (fn && fn.kind !== 'function') fn = reading.scopes.parentOf(fn)
  // The value of a file for an `include`.
  if (fn === null)
    return isFunctionValue(reading, value) ||
      isNamedList(reading, value) ||
      reading.taint.functionsIn(value).length > 0
      ? null
      : 'is what this file gives back'
  if (/^__/.test(fn.name ?? '') && !/^__(?:construct|invoke)$/.test(fn.name ?? ''))
    return `is what ${fn.name}() gives back, which PHP calls by itself`
  if (/^(?:jsonSerialize|toJSON|getIterator|offsetGet|toArray|toString)$/.test(fn.name ?? ''))
    return `is what ${fn.name}() gives back, which is called by itself`
  return null
}

function isFunctionValue(_: Reading, value: Code): boolean {
  return unwrap(value).kind === 'function'
}

function isNamedList(reading: Reading, value: Code): boolean {
  const inner = unwrap(value)
  if (inner.kind === 'call') return calledName(inner) === 'compact' || isDefined(reading, inner)
  if (inner.kind === 'name') {
    const { writes } = reading.scopes.bindingOf(inner)
    return writes.every(
      (write) => write.kind === 'put' || (write.kind === 'value' && isNamedList(reading, write.value)),
    )
  }
  if (inner.kind === 'other' && (inner.what === 'list' || inner.what === 'ObjectExpression'))
    return inner.children.every((entry) => isNamedEntry(reading, entry))
  return false
}

/** Returns why a function that returns one is not tracked: nothing here calls it by name. */
function ofFunction(reading: Reading, fn: Fn): string | null {
  const { taint, scopes } = reading
  for (const i of fn.byReference ?? []) {
    const param = fn.params[i]
    if (param && taint.holds(param)) return 'is put into a variable of the caller, by reference'
  }
  for (const [i, param] of fn.params.entries()) {
    if (param.kind !== 'pattern' || !taint.takes(fn, i)) continue
    if (param.of !== 'object' && reading.flow.isFormKnown) continue
    if (!param.entries.every(({ key }) => isSameField(reading, key))) return 'is taken apart by a parameter'
  }
  if (taint.receives(fn) && readsArguments(reading, fn))
    return 'is given to a function that reads its arguments without naming them'
  if (!taint.gives(fn)) return null
  const parent = scopes.parentOf(fn)
  switch (parent?.kind) {
    case 'assign':
    case 'return':
    case 'block':
    case 'statement':
    case 'call':
      return parent.kind === 'return' ? ofReturnedFunction(reading, fn) : null
    case 'other':
      return parent.what === 'entry' ? ofEntry(reading, parent) : null
    default:
      return null
  }
}

/** Returns true for `func_get_args()` in PHP and `arguments` in JavaScript. */
function readsArguments({ syntax }: Reading, fn: Fn): boolean {
  let found = false
  walkCode(fn.body, (code) => {
    if (syntax.name === 'script') found ||= code.kind === 'name' && code.name === 'arguments'
    else found ||= code.kind === 'call' && /^func_get_args?$/i.test(calledName(code) ?? '')
  })
  return found
}

// A controller, whose variables are identified by name.
function ofReturnedFunction(reading: Reading, fn: Fn): string | null {
  return returned(fn).every((value) => !reading.taint.holds(value) || isNamedList(reading, value))
    ? null
    : 'is what a function gives back that is called elsewhere'
}

function returned(fn: Fn): readonly Code[] {
  if (fn.body.kind !== 'block') return [fn.body]
  const found: Code[] = []
  walkCode(fn.body, (code) => {
    if (code.kind === 'return' && code.value) found.push(code.value)
  })
  return found
}

/** Checks a function below a key, which is tracked if the site calls it by that key: a method of the CMS. */
function ofEntry(reading: Reading, entry: Code & { kind: 'other' }): string | null {
  if (reading.syntax.name === 'script') return null
  for (let up = reading.scopes.parentOf(entry); up; up = reading.scopes.parentOf(up))
    if (
      up.kind === 'other' &&
      up.what === 'entry' &&
      up.children[0]?.kind === 'literal' &&
      /methods$/i.test(String(up.children[0].value))
    )
      return null
  return 'is what a function gives back that is called elsewhere'
}

function ofOther(
  reading: Reading,
  parent: Code & { kind: 'other' },
  code: Code,
  kind: ReturnType<Reading['values']['kindOf']>,
  taint: Reading['taint'],
): string | null {
  const { syntax, text } = reading
  const { what, children } = parent
  const { flow } = reading
  const isSingle = flow.isOne(kind)
  // A price id could be a key.
  if (!flow.isFormKnown && what === 'entry' && children.length === 2 && children[0] === code)
    return 'is used as a key'
  if (passing.has(what) || (what === 'ExportDefaultDeclaration' && code.kind === 'function')) return null
  switch (what) {
    case 'spread':
    case 'variadic': {
      const list = reading.scopes.parentOf(parent)
      const isInObject = list?.kind === 'other' && list.what === 'ObjectExpression'
      if (isInObject)
        return taint.isContainer(code) && !flow.isSource(kind) ? null : 'is spread into another object'
      // JavaScript spreads lists in both versions, and nothing else.
      if (syntax.name === 'script') return flow.isFormKnown || isList(reading, code) ? null : 'is spread'
      return !isSingle && taint.isContainer(code) ? null : 'is spread'
    }
    case 'cast': {
      const type = /^\(\s*(\w+)/.exec(text.slice(parent.start, parent.start + 40))?.[1] ?? ''
      if (/^bool/i.test(type)) return null
      return /^array$/i.test(type) && taint.isContainer(code) ? null : `becomes (${type})`
    }
    case 'match':
      return children.indexOf(code) === 0 ? 'is compared with something' : null
    case 'matcharm':
      return children.at(-1) === code ? null : 'is compared with something'
    case 'unset':
      return null
    case 'unary':
      return /^(?:typeof|void)\b/.test(text.slice(parent.start, parent.start + 8)) &&
        (flow.isFormKnown || taint.isContainer(code))
        ? null
        : 'is used as a number'
    case 'property':
      return null
    case 'global':
      return 'is shared with other functions by global'
    case 'assignref':
    case 'byref':
    case 'staticvariable':
      return 'goes by reference'
    case 'echo':
    case 'print':
    case 'template':
    case 'part':
    case 'simple':
    case 'encapsed':
      return 'is put out as text'
    case 'JSXExpressionContainer':
      return reading.scopes.parentOf(parent)?.kind === 'other' &&
        (reading.scopes.parentOf(parent) as { what?: string }).what === 'JSXAttribute'
        ? null
        : 'is put out as text'
    default:
      return `is used in a way that is not known (${what})`
  }
}

const passing = new Set(
  (
    'list entry clone not isset empty yield yieldfrom YieldExpression ObjectExpression namedargument SequenceExpression while for do ' +
    'WhileStatement ForStatement DoWhileStatement declarations declared rewritten class noop ' +
    'ExportNamedDeclaration ParenthesizedExpression ClassBody'
  ).split(' '),
)

/** Returns why a use of the provider's data as a whole is not tracked: one of its keys has another name. */
function ofData(reading: Reading, code: Code): string | null {
  const parent = reading.scopes.parentOf(code)
  const whole = (where: string) =>
    `The provider’s data of a member ${where} as a whole. In version 2 its key purchases is payments: look at what reads it.`
  switch (parent?.kind) {
    case 'member': {
      if (parent.object !== code) return null
      const up = reading.scopes.parentOf(parent)
      const isCalled = up?.kind === 'call' && up.callee === parent
      return isCalled || parent.key !== null
        ? null
        : whole('is read by a key that only running the code tells')
    }
    case 'call': {
      if (parent.callee === code) return null
      if (reading.flow.isSource(reading.values.kindOf(parent))) return null
      if (isDataRead(parent, reading.values.kindOf)) return null
      return /^(?:is_array|is_null|count|empty)$/.test(calledName(parent) ?? '')
        ? null
        : whole('is given away')
    }
    case 'assign':
      return parent.target.kind === 'name' || parent.target === code || parent.target.kind === 'pattern'
        ? null
        : whole('is stored')
    case 'each':
      return parent.list === code ? whole('is gone through') : null
    case 'return':
      return whole('is given back')
    case 'function':
      return parent.body === code ? whole('is given back') : null
    case 'other':
      return /^(?:not|isset|empty|while|pre|post|unset)$/.test(parent.what) ? null : whole('is used')
    case 'binary':
      return /^(?:\?\?|\|\||&&|[!=]==?)$/.test(parent.operator) ? null : whole('is used')
    default:
      return null
  }
}

function isMemberLike(kind: string): boolean {
  return kind === 'user' || kind === 'provider' || kind === 'accessor'
}

/**
 * Returns why a method named by a text is not tracked: `[$user, 'subscriptions']`, `pluck('subscriptions')`.
 */
function reachedByText(reading: Reading, code: Code): string | null {
  const { scopes, syntax, values, flow } = reading
  const isOwner = (owner: Code) => {
    const kind = values.kindOf(owner)
    return kind === 'user' || (!flow.isFormKnown && kind === 'provider')
  }
  if (code.kind === 'member' && flow.methods.includes(String(code.key)) && syntax.name === 'script') {
    const parent = scopes.parentOf(code)
    if (parent?.kind === 'call' && parent.callee === code) return null
    return isOwner(code.object)
      ? `The function ${code.key} of a member is only referred to here. This command does not follow who calls it.`
      : null
  }
  if (code.kind === 'pattern' && syntax.name === 'script') {
    const taken = code.entries.find(({ key }) => flow.methods.includes(String(key)))
    const parent = scopes.parentOf(code)
    return taken && parent?.kind === 'assign' && isOwner(parent.value)
      ? `The function ${taken.key} of a member is taken out here. This command does not follow who calls it.`
      : null
  }
  if (
    code.kind === 'call' &&
    code.callee.kind === 'member' &&
    code.callee.key === null &&
    code.callee.style === 'property' &&
    isMemberLike(values.kindOf(code.callee.object))
  )
    return `A method of a member is called here by a name that only running the code tells. It may be ${flow.methods[0]}().`
  if (code.kind !== 'literal' || typeof code.value !== 'string') return null
  const query = reading.facts.isOurs === false ? null : changedQuery(code.value)
  if (query !== null && flow.isFormKnown)
    return `The text "${query}" asks for fields of a subscription that version 2 has otherwise or not at all.`
  const written = syntax.name === 'php' ? code.value.toLowerCase() : code.value
  if (!flow.methods.includes(written)) return null
  // Other things have subscriptions, purchases and payments, too.
  const isOurs = flow.isFormKnown
    ? reading.facts.isOurs !== false
    : /\bprovider\(|getUserData/i.test(reading.text)
  return isOurs && !isOnlyNamed(reading, code)
    ? `This names ${code.value}() by a text. This command does not follow who calls it.`
    : null
}

/** Returns true for a text that calls no method: a key, something compared, the name of a page. */
function isOnlyNamed({ scopes, values, flow }: Reading, code: Code): boolean {
  const parent = scopes.parentOf(code)
  switch (parent?.kind) {
    case 'other':
      return (
        (/^(?:entry|property)$/.test(parent.what) &&
          parent.children.length === 2 &&
          parent.children[0] === code) ||
        (/^(?:case|SwitchCase)$/.test(parent.what) && parent.children[0] === code) ||
        /^(?:matcharm|key|import|JSXAttribute)$/.test(parent.what)
      )
    case 'binary':
      return /^[!=]==?$/.test(parent.operator)
    case 'call':
      return (
        flow.isSource(values.kindOf(parent)) ||
        (parent.args.length === 1 && /^(?:get|post|has)$/.test(calledName(parent) ?? '')) ||
        /^(?:t|tt|tc|url|u|page|pages|snippet|collection|option|css|js|in_array|isset|array_key_exists|includes|fetch|require|import|compact|extract|querySelector|getElementById)$/.test(
          calledName(parent) ?? '',
        )
      )
    default:
      return false
  }
}
