import type { Given } from '../plan.ts'
import { changeOf, dtoProperties } from './api.ts'
import { type Call, type Code, calledName, type Fn, type Name, receiverOf, unwrap, walkCode } from './code.ts'
import { purchaseFlow } from './flow.ts'
import { listForParam } from './lists.ts'
import type { Binding, Scopes, Write } from './scopes.ts'
import type { Values } from './values.ts'

/** Values that may be or hold a subscription. */
export interface Handed {
  /** Returns true if the value may be or hold a subscription without being known to. */
  mayHold(code: Code): boolean
  /** Returns true for a variable that may be one: a parameter, or a function's result. */
  mayBeOne(name: Name): boolean
  /** Returns true for a function that may receive one. */
  receives(fn: Fn): boolean
  /** Returns true for a function that may return one. */
  gives(fn: Fn): boolean
}

/**
 * Follows subscriptions to uncertain places: parameters and results of this file's functions, lists and
 * properties, and names by which other files pass some. It only adds: a value that may hold one once may hold
 * one everywhere. O(rounds × size), few rounds.
 */
export function readHanded(
  root: Code,
  scopes: Scopes,
  { kindOf }: Pick<Values, 'kindOf'>,
  given?: Given,
  imported: ReadonlyMap<string, string> = new Map(),
): Handed {
  const isKnown = (code: Code) => ['subscription', 'subscriptions'].includes(kindOf(code))
  const { names, texts, calls, functions, knowsOne } = gather(root, isKnown)
  const isGiven = (binding: Binding) => given?.names.has(binding.name) === true && comesFromOutside(binding)
  // Methods of other objects have the same names.
  const isResult = (call: Call) =>
    receiverOf(call) === null && given?.results.has(plainName(call, imported)) === true
  const isConstructor = (fn: Fn) =>
    fn.owner !== undefined && /^(?:__construct|constructor)$/.test(fn.name ?? '')
  const called = [...functions].flatMap(([name, fn]) =>
    given?.functions.has(isConstructor(fn) ? `new ${fn.owner}` : name) ||
    given?.functions.has(fn.exportedAs ?? '')
      ? [fn]
      : [],
  )
  // By a text too: `compact('s')`, `$$name`.
  const knowsAny =
    knowsOne ||
    called.length > 0 ||
    calls.some(isResult) ||
    texts.some((text) => given?.names.has(text)) ||
    names.some((name) => isGiven(scopes.bindingOf(name)))
  const bindings = new Set<Binding>()
  /** Variables that `extract()`, or another file, may have created. */
  const extracted = new Set<Binding>()
  const receiving = new Set<Code>(called)
  const giving = new Set<Code>()

  const holds = (code: Code): boolean => isKnown(code) || mayHold(code)

  const mayHold = (code: Code): boolean => {
    if (!knowsAny || isKnown(code)) return false
    switch (code.kind) {
      case 'name':
        return bindings.has(scopes.bindingOf(code))
      case 'member':
        // An element found by a key may be one: `$byId['sub_1']`.
        if (kindOf(code.object) === 'subscriptions') return code.style === 'index'
        return !isField(code.key, code.style) && !isKnown(code.object) && mayHold(code.object)
      case 'call':
        return ofCall(code)
      case 'assign':
        return holds(code.value)
      case 'wrap':
        return holds(code.inner)
      case 'binary':
        return /^(?:\?\?|\|\||&&|\+)$/.test(code.operator) && (holds(code.left) || holds(code.right))
      case 'choice':
        return holds(code.yes ?? code.test) || holds(code.no)
      case 'other':
        return code.what === 'variable' || (holders.has(code.what) && code.children.some(holds))
      default:
        return false
    }
  }

  const ofCall = (call: Call): boolean => {
    const name = calledName(call) ?? ''
    if (name === 'compact') return true
    if (isResult(call) || functionsOf(call).some((fn) => giving.has(fn))) return true
    if (
      plainResult.test(name) ||
      (name === 'array_column' && call.args[1]?.kind === 'literal' && call.args[1].value !== null)
    )
      return false
    if (ofCallback.test(name) && call.args.some(({ kind }) => kind === 'function'))
      return call.args.some((arg) => giving.has(arg))
    const receiver = receiverOf(call)
    return call.args.some(holds) || (receiver !== null && mayHold(receiver))
  }

  /** Returns the functions of this file that a call may run: by name, by variable, or as an argument. */
  const functionsOf = (call: Call): Fn[] =>
    [call.callee, ...call.args].flatMap((code): Fn[] => {
      const inner = unwrap(code)
      if (inner.kind === 'function') return [inner]
      if (inner.kind === 'name')
        return scopes
          .bindingOf(inner)
          .writes.flatMap((write) =>
            write.kind === 'value' && write.value.kind === 'function' ? [write.value] : [],
          )
      const name =
        inner === unwrap(call.callee)
          ? calledName(call)
          : inner.kind === 'literal'
            ? String(inner.value)
            : null
      const fn = functions.get(name?.replace(/^.*::/, '').toLowerCase() ?? '')
      return fn ? [fn] : []
    })

  const ofWrite = (write: Write): boolean => {
    if (write.kind === 'value') return holds(write.value)
    if (write.kind === 'element') return mayHold(write.list)
    if (write.kind === 'put') return [write.value, write.below].some((value) => value && holds(value))
    if (write.kind !== 'param') return false
    const call = scopes.parentOf(write.of)
    const list = call?.kind === 'call' ? listForParam(call, write.of, write.index) : null
    return list ? mayHold(list) : receiving.has(write.of)
  }

  const givesOne = (fn: Fn): boolean => {
    if (fn.body.kind !== 'block') return holds(fn.body)
    let found = false
    walkCode(fn.body, (code) => {
      found ||= code.kind === 'return' && code.value !== null && holds(code.value)
      found ||= code.kind === 'other' && code.what.startsWith('yield') && code.children.some(holds)
    })
    return found
  }

  const sizeOf = () => bindings.size + receiving.size + giving.size
  const round = () => {
    const isTakenApart = calls.some((call) => calledName(call) === 'extract' && call.args.some(holds))
    for (const name of names) {
      const binding = scopes.bindingOf(name)
      if (isKnown(name)) continue
      const isNowhere = binding.writes.every(({ kind }) => kind === 'put')
      if ((isNowhere && isTakenApart) || isGiven(binding)) extracted.add(binding)
      if (extracted.has(binding) || binding.writes.some(ofWrite)) bindings.add(binding)
    }
    for (const call of calls) if (call.args.some(holds)) for (const fn of functionsOf(call)) receiving.add(fn)
    for (const fn of functions.values()) if (givesOne(fn)) giving.add(fn)
  }
  for (let rounds = 0, before = -1; knowsAny && before !== sizeOf(); rounds++) {
    before = sizeOf()
    round()
    // Nobody writes chains this long; from here on every variable may hold one.
    if (rounds === 20) for (const name of names) if (!isKnown(name)) bindings.add(scopes.bindingOf(name))
    if (rounds === 20) break
  }

  return {
    mayHold,
    receives: (fn) => receiving.has(fn),
    gives: givesOne,
    mayBeOne: (name) => {
      const binding = scopes.bindingOf(name)
      return (
        bindings.has(binding) &&
        (extracted.has(binding) || binding.writes.some(({ kind }) => kind !== 'put')) &&
        !binding.writes.some(
          (write) => write.kind === 'value' && write.value.kind === 'other' && write.value.what === 'list',
        )
      )
    },
  }
}

/** Finds values that may be a purchase without a name that says so: `$$name`, in a file that has some. */
export function handedPurchases(
  root: Code,
  { kindOf }: Pick<Values, 'kindOf'>,
  given: Given | undefined,
): Pick<Handed, 'mayHold'> {
  let knowsOne = (given?.names.size ?? 0) > 0
  const look = (code: Code) => {
    if (code.kind === 'member' || code.kind === 'call') knowsOne ||= purchaseFlow.isSource(kindOf(code))
  }
  return { mayHold: (code) => code.kind === 'other' && code.what === 'variable' && knows() }
  function knows() {
    if (!knowsOne) walkCode(root, look)
    return knowsOne
  }
}

/** Returns the lower-case name of a called function as other files know it, from its definition. */
export function plainName(call: Call, imported: ReadonlyMap<string, string>): string {
  const name = (calledName(call) ?? '').replace(/^.*(?:::|\\)/, '')
  return (imported.get(name) ?? name).toLowerCase()
}

/**
 * Returns true for a variable that is read before this file writes to it; `$s = $s ?? null` reads it first.
 */
function comesFromOutside({ names, writes }: Binding): boolean {
  const [first] = writes.filter(({ kind }) => kind !== 'put').sort((a, b) => a.at - b.at)
  if (!first) return true
  const until = first.kind === 'value' ? first.value.end : first.at
  return names.some(({ start }) => start !== first.at && start < until)
}

/** Collects the parts that every round needs. */
function gather(root: Code, isKnown: (code: Code) => boolean) {
  const names: Name[] = []
  const texts: string[] = []
  const calls: Call[] = []
  const functions = new Map<string, Fn>()
  let knowsOne = false
  walkCode(root, (code) => {
    knowsOne ||= isKnown(code)
    if (code.kind === 'name') names.push(code)
    if (code.kind === 'literal' && typeof code.value === 'string') texts.push(code.value)
    if (code.kind === 'call') calls.push(code)
    if (code.kind === 'function') functions.set(code.name?.toLowerCase() ?? `at ${code.start}`, code)
  })
  return { names, texts, calls, functions, knowsOne }
}

// A field of a subscription, in either version, is not one itself.
function isField(key: string | number | null, style: string): boolean {
  return style === 'property'
    ? dtoProperties.has(String(key))
    : key !== null && ['same', 'time', 'case'].includes(changeOf([key]).kind)
}

const holders = new Set([
  'list',
  'entry',
  'spread',
  'match',
  'matcharm',
  'clone',
  'cast',
  'yield',
  'yieldfrom',
])

const ofCallback = /^array_(?:map|reduce|walk)$/

// Functions that always return a number, a text or a boolean.
const plainResult =
  /^(?:count|sizeof|implode|join|in_array|array_search|array_sum|array_key(?:s|_exists)|key_exists|is_\w+|str\w+|mb_\w+|json_encode|serialize|print_r|var_dump|var_export|gettype|get_debug_type|number_format|date|s?printf|md5|sha1|hash|u?a?sort|array_multisort|esc|html|h|t|e)$/
