import type { Given } from '../plan.ts'
import { changeOf, isIndex } from './api.ts'
import {
  type Call,
  type Code,
  calledName,
  childrenOf,
  type Fn,
  type Key,
  type Name,
  receiverOf,
  unwrap,
  walkCode,
} from './code.ts'
import { type Flow, isFieldOf } from './flow.ts'
import type { Handed } from './handed.ts'
import type { Kind } from './kinds.ts'
import { type Binding, loopOf, rootOf, type Scopes, type Write } from './scopes.ts'
import { isPurchases, type Values } from './values.ts'

/** Shows where the values of a flow may be. */
export interface Taint {
  /** Returns true for a value that may be one of the flow, hold one, or return one when called. */
  holds(code: Code): boolean
  /** Returns true for a value that is a list or a map in both versions, whatever it contains. */
  isContainer(code: Code): boolean
  /** Returns true for a function that may return or yield such a value. */
  gives(fn: Fn): boolean
  /** Returns true for a function whose parameter at a position may be one. */
  takes(fn: Fn, index: number): boolean
  /** Names of properties that may hold one, on any object. */
  readonly properties: ReadonlySet<string>
  /** Returns the functions of this file that a value may be. */
  functionsIn(code: Code): readonly Fn[]
  /** Returns true if a value is one of {@link functionsIn} and can be nothing else. */
  isOnlyFunctions(code: Code): boolean
  /** Returns true for a function that receives such a value. */
  receives(fn: Fn): boolean
  /** Returns the functions of this file that a call runs by name. */
  functionsBy(call: Call): readonly Fn[]
}

interface Input {
  readonly flow: Flow
  readonly root: Code
  readonly language: 'php' | 'script'
  readonly scopes: Scopes
  readonly values: Pick<Values, 'kindOf'>
  readonly handed: Pick<Handed, 'mayHold'>
  readonly given: Given | undefined
  readonly imported: ReadonlyMap<string, string>
}

/**
 * Tracks every value of a flow through the file. It errs on one side only: anything combined with such a
 * value holds it, and an unknown operation passes it on. O(rounds × size), few rounds.
 */
export function readTaint({ flow, root, language, scopes, values, handed, given, imported }: Input): Taint {
  const { isSource, isOne } = flow
  const { kindOf } = values
  const { names, calls, functions, patterns, takenParams, references, writtenProperties, shared } =
    gather(root)
  const bindings = new Set<Binding>()
  const properties = new Set<string>()
  const giving = new Set<Code>()
  const receiving = new Map<Code, Set<number> | 'all'>()
  /** All names of PHP variables that `global` shares. */
  const sharedNames = new Set<string>()
  let memo = new Map<Code, boolean>()
  let isEverything = false

  const containers = new Map<Code | Binding, boolean>()
  const isContainer = (code: Code): boolean => {
    const known = containers.get(code)
    if (known !== undefined) return known
    containers.set(code, true)
    const found = findContainer(code)
    containers.set(code, found)
    return found
  }
  const findContainer = (code: Code): boolean => {
    const kind = kindOf(code)
    if (lists.has(kind)) return true
    if (isSource(kind)) return false
    switch (code.kind) {
      case 'literal':
        return true
      case 'name':
        return isContainerBinding(scopes.bindingOf(code))
      case 'wrap':
        return isContainer(code.inner)
      case 'assign':
        return isContainer(code.value)
      case 'choice':
        return isContainer(code.yes ?? code.test) && isContainer(code.no)
      case 'binary':
        return /^(?:\?\?|\|\|)$/.test(code.operator) && isContainer(code.left) && isContainer(code.right)
      case 'call': {
        const name = calledName(code) ?? ''
        if (receiverOf(code) === null ? listFunctions.test(name) : listMethods.test(name)) return true
        const made = code.isNew ? [] : functionsBy(code)
        return made.length > 0 && made.every((fn) => returnsOf(fn).every(isContainer))
      }
      case 'member':
        return !flow.isFormKnown && isContainerProperty(code)
      case 'other':
        return code.what === 'list' || code.what === 'ObjectExpression'
      default:
        return false
    }
  }
  /** `this.all`, if only lists are written to `all`. */
  const isContainerProperty = ({ object, key, style }: Code & { kind: 'member' }): boolean => {
    const root = unwrap(object)
    if (typeof key !== 'string' || style === 'index' || given?.ones.has(`property ${key}`)) return false
    if (!isSelf(root) && !isMade(root, scopes)) return false
    const written = writtenProperties.filter((write) => write.key === key)
    return written.length > 0 && written.every(({ value }) => isContainer(value))
  }
  const isContainerBinding = (binding: Binding): boolean => {
    const known = containers.get(binding)
    if (known !== undefined) return known
    containers.set(binding, true)
    const found =
      binding.writes.some(({ kind }) => kind !== 'put') &&
      binding.writes.every(
        (write) =>
          write.kind === 'put' ||
          (write.kind === 'value' && isContainer(write.value)) ||
          (write.kind === 'param' && getsContainers(write.of as Fn, write.index)),
      )
    containers.set(binding, found)
    return found
  }

  /** Returns true for a parameter that gets only lists, in the whole site. */
  const getsContainers = (fn: Fn, index: number): boolean => {
    if (flow.isFormKnown || !given || fn.name === undefined || fn.owner !== undefined) return false
    if (given.ones.has(fn.name.toLowerCase())) return false
    const own = calls.filter((call) => functionsBy(call).includes(fn))
    return own.length > 0 && own.every(({ args }) => args[index] !== undefined && isContainer(args[index]))
  }

  const holds = (code: Code): boolean => {
    const known = memo.get(code)
    if (known !== undefined) return known
    // A value that depends on itself adds nothing to itself.
    memo.set(code, false)
    const found = find(code)
    memo.set(code, found)
    return found
  }

  const find = (code: Code): boolean => {
    const kind = kindOf(code)
    if (code.kind === 'member') return ofMember(code, kind)
    if (isSource(kind)) return true
    switch (code.kind) {
      case 'name':
        return ofName(code)
      case 'call':
        return ofCall(code, kind)
      case 'assign':
        return holds(code.value)
      case 'wrap':
        return holds(code.inner)
      case 'binary':
        return /^(?:\?\?|\|\||&&|\+)$/.test(code.operator) && (holds(code.left) || holds(code.right))
      case 'choice':
        return holds(code.yes ?? code.test) || holds(code.no)
      case 'function':
        return giving.has(code)
      case 'other':
        return ofOther(code.what, code.children)
      default:
        return false
    }
  }

  const ofName = (name: Name): boolean => {
    if (isSelf(name)) return false
    // In a loop over something else it is an element of that, whatever it was before.
    const loop = isEverything ? null : loopOf(name, scopes)
    if (loop)
      return (
        holds(loop.list) ||
        scopes.bindingOf(name).writes.some((write) => write.kind === 'put' && ofWrite(write))
      )
    return bindings.has(scopes.bindingOf(name)) || handed.mayHold(name) || isEverything
  }

  const ofOther = (what: string, children: readonly Code[]): boolean => {
    if (plain.has(what)) return false
    if (what === 'variable') return handed.mayHold({ kind: 'other', start: 0, end: 0, what, children: [] })
    if (what === 'include') return given?.results.has('include') === true
    if (what === 'match') return children.slice(1).some(holds)
    if (what === 'matcharm') return children.slice(-1).some(holds)
    return children.some(holds)
  }

  const ofMember = (member: Code & { kind: 'member' }, kind: Kind): boolean => {
    const { key, object, style } = member
    if (isSource(kind) && kind !== 'part') return true
    // Of the provider's data only the purchases are tracked; its other fields are unchanged.
    if (kindOf(object) === 'data' && isSource('data')) return key === null
    const field = fieldOf(member)
    if (field !== null) return field
    if (isSource(kindOf(object)) && (flow.isFormKnown || flow.isList(kindOf(object))))
      return !(key === 'length' && language === 'script')
    const isProperty = style !== 'index' || language === 'script'
    const isNamed =
      typeof key === 'string' && isProperty && (properties.has(key) || given?.properties.has(key) === true)
    if (isNamed && kindOf(object) !== 'sdk') return true
    if (!flow.isFormKnown && language === 'script' && given?.names.has(String(key)) && isOutside(object))
      return true
    if (!holds(object)) return handed.mayHold(member)
    if (key === null || isIndex(key)) return true
    if (isProperty && language === 'php')
      return (flow.isFormKnown && key === 'items') || !flow.isOfVersion2(key)
    if (key === 'length') return false
    if (isContainer(object)) return true
    // A field of a purchase is reported where it is read.
    if (!flow.isFormKnown) return isPurchases(key)
    return key === 'items' || (!isFieldOf(flow, [key]) && !(language === 'script' && flow.isOfVersion2(key)))
  }

  /** `it.paid`, `props.paid`: variables of a template, which another file passed by name. */
  const isOutside = (object: Code): boolean => {
    if (object.kind !== 'name') return false
    const { writes } = scopes.bindingOf(object)
    return writes.every(({ kind }) => kind === 'param') && (writes.length === 0 || object.name === 'props')
  }

  /** Returns true for a read of a subscription's part, false for one of its fields; null for other reads. */
  const fieldOf = (member: Code & { kind: 'member' }): boolean | null => {
    if (!flow.isFormKnown) return null
    const keys: (Key | null)[] = []
    let at: Code = member
    while (at.kind === 'member') {
      keys.unshift(at.key)
      at = unwrap(at.object)
      const kind = kindOf(at)
      if (isOne(kind)) return isPart(keys)
      if (kind === 'part' && at.kind !== 'member') return isPart(['items', 0, ...keys])
    }
    return null
  }

  const isPart = (keys: readonly (Key | null)[]): boolean => {
    if (keys.includes(null)) return keys.indexOf(null) > 0 && keys[0] === 'items'
    const path = keys.map((key) => key!)
    const last = path.at(-1)!
    if (path.length > 1 && (itemFields.has(String(last)) || last === 'length')) return false
    return changeOf(path).kind === 'part'
  }

  const ofCall = (call: Call, kind: Kind): boolean => {
    if (kind === 'sdk') return false
    const name = calledName(call) ?? ''
    if (name === 'compact') return handed.mayHold(call) || call.args.some(namesOne)
    const made = functionsBy(call)
    if (made.some((fn) => giving.has(fn))) return true
    if (givesElsewhere(call)) return true
    if (isDataRead(call, kindOf) && !isSource(kind)) return false
    const receiver = receiverOf(call)
    // A method of a subscription returns a plain value or is reported.
    if (receiver !== null && isOne(kindOf(receiver))) return call.args.some(holds)
    const isTainted =
      call.args.some(holds) ||
      (receiver !== null && holds(receiver)) ||
      (receiver === null && call.callee.kind !== 'word' && holds(call.callee))
    if (!isTainted) return false
    if ((receiver === null ? plainFunctions : plainMethods).test(name)) return false
    // A function of the site returns what its return statements return.
    const isOnList = receiver !== null && (isSource(kindOf(receiver)) || isContainer(receiver))
    if (made.length > 0 && !call.isNew && !isOnList) return false
    if (receiver === null && !call.isNew && !isVariable(call.callee) && isDefinedElsewhere(name)) return false
    const callbacks = call.args.map(functionsIn)
    const first = callbacks.find((fns) => fns.length > 0)
    if (mapping.test(name) && first) return first.some((fn) => giving.has(fn))
    return true
  }

  const isDefinedElsewhere = (name: string): boolean =>
    given?.defined.has(`${language} ${name.toLowerCase()}`) === true

  // A variable with the name of a function is another thing.
  const isVariable = (callee: Code): boolean => {
    const inner = unwrap(callee)
    return inner.kind === 'name' && scopes.bindingOf(inner).writes.length > 0
  }

  const namesOne = (arg: Code): boolean =>
    arg.kind === 'literal' &&
    names.some((name) => name.name === arg.value && bindings.has(scopes.bindingOf(name)))

  const givesElsewhere = (call: Call): boolean => {
    if (!given || given.results.size === 0 || call.isNew) return false
    const name = (calledName(call) ?? '').replace(/^.*(?:::|\\)/, '')
    return given.results.has((imported.get(name) ?? name).toLowerCase())
  }

  const functionsBy = (call: Call): readonly Fn[] => {
    const callee = unwrap(call.callee)
    if (callee.kind === 'function') return [callee]
    if (callee.kind === 'name') return functionsIn(callee)
    const name = calledName(call)
    if (name === null) return []
    if (call.isNew) return constructorsOf(name.replace(/^.*\\/, '').toLowerCase())
    return functions.get(name.replace(/^.*(?:::|\\)/, '').toLowerCase()) ?? []
  }

  const constructorsOf = (owner: string): readonly Fn[] =>
    [...(functions.get('__construct') ?? []), ...(functions.get('constructor') ?? [])].filter(
      (fn) => fn.owner === owner,
    )

  const functionsIn = (code: Code): readonly Fn[] => targetsOf(code, new Set()).functions
  const isOnlyFunctions = (code: Code): boolean => {
    const { functions: found, isComplete } = targetsOf(code, new Set())
    return isComplete && found.length > 0
  }

  /** Finds the functions that a value may be. It is complete only if every branch names its function. */
  const targetsOf = (code: Code, open: Set<Binding>): Targets => {
    const ofAll = (codes: readonly Code[]): Targets => {
      const found = codes.map((code) => targetsOf(code, open))
      return {
        functions: [...new Set(found.flatMap(({ functions: some }) => some))],
        isComplete: found.every(({ isComplete }) => isComplete),
      }
    }
    const byName = (name: string): Targets => {
      const found = functions.get(name.replace(/^.*(?:::|\\)/, '').toLowerCase()) ?? []
      return { functions: found, isComplete: found.length > 0 }
    }
    switch (code.kind) {
      case 'function':
        return { functions: [code], isComplete: true }
      case 'wrap':
        return targetsOf(code.inner, open)
      case 'assign':
        return targetsOf(code.value, open)
      case 'choice':
        return ofAll([code.yes ?? code.test, code.no])
      case 'binary':
        return /^(?:\?\?|\|\|)$/.test(code.operator) ? ofAll([code.left, code.right]) : unknownTargets
      case 'literal':
        if (code.value === null) return { functions: [], isComplete: true }
        return language === 'php' && typeof code.value === 'string' ? byName(code.value) : unknownTargets
      case 'call': {
        if (!isReference(code)) return unknownTargets
        const found = functionsBy(code)
        return { functions: found, isComplete: found.length > 0 }
      }
      case 'name': {
        const binding = scopes.bindingOf(code)
        // A declared function is no write.
        if (binding.writes.length === 0) return language === 'script' ? byName(code.name) : unknownTargets
        if (open.has(binding)) return { functions: [], isComplete: true }
        open.add(binding)
        return ofAll(binding.writes.map((write) => (write.kind === 'value' ? write.value : nowhere)))
      }
      case 'other':
        return ofOtherTarget(code, ofAll)
      default:
        return unknownTargets
    }
  }

  const ofOtherTarget = (
    { what, children }: Code & { kind: 'other' },
    ofAll: (codes: readonly Code[]) => Targets,
  ): Targets => {
    if (what === 'match') return ofAll(children.slice(1))
    if (what === 'matcharm' || what === 'SequenceExpression') return ofAll(children.slice(-1))
    if (what !== 'list' || language !== 'php' || children.length !== 2) return unknownTargets
    // `[$this, 'line']`, `[Card::class, 'line']`
    const [owner, name] = children.map((entry) =>
      entry.kind === 'other' && entry.children.length === 1 ? unwrap(entry.children[0]!) : entry,
    ) as [Code, Code]
    if (name.kind !== 'literal') return unknownTargets
    const named = functions.get(String(name.value).toLowerCase()) ?? []
    const found = named.filter((fn) => fn.owner !== undefined && isOwner(owner, fn.owner))
    return { functions: found, isComplete: found.length > 0 }
  }

  const isOwner = (code: Code, owner: string): boolean => {
    if (code.kind === 'literal') return shortName(String(code.value)) === owner
    if (code.kind === 'call') return code.isNew && shortName(calledName(code) ?? '') === owner
    if (code.kind === 'member' && code.style === 'static' && code.key === 'class')
      return isSelfWord(code.object) || (code.object.kind === 'word' && shortName(code.object.name) === owner)
    return isSelf(code)
  }

  const ofWrite = (write: Write): boolean => {
    switch (write.kind) {
      case 'value':
        return holds(write.value)
      case 'element':
        return holds(write.list)
      case 'put':
        return [write.value, write.below].some((value) => value && holds(value))
      case 'param':
        return isParam(write.of as Fn, write.index)
      case 'other':
        return false
      default:
        throw new TypeError(`unhandled ${write satisfies never}`)
    }
  }

  const isParam = (fn: Fn, index: number): boolean => {
    const known = receiving.get(fn)
    if (known === 'all' || known?.has(index)) return true
    const isGiven = (name: string | undefined) =>
      name !== undefined && given?.functions.has(name.toLowerCase()) === true
    if (fn.owner !== undefined && /^(?:__construct|constructor)$/.test(fn.name ?? ''))
      return isGiven(`new ${fn.owner}`)
    return isGiven(fn.name) || isGiven(fn.exportedAs)
  }

  const receive = (fn: Fn, index: number | 'all') => {
    const before = receiving.get(fn)
    if (before === 'all') return
    if (index === 'all') receiving.set(fn, 'all')
    else receiving.set(fn, new Set([...(before ?? []), index]))
  }

  const passArguments = (call: Call) => {
    const receiver = receiverOf(call)
    const isOn = receiver !== null && holds(receiver)
    const held = call.args.map(holds)
    if (!isOn && !held.some(Boolean)) return
    const called = functionsBy(call)
    for (const fn of called)
      for (const [i, arg] of call.args.entries())
        if (held[i]) receive(fn, isSpread(arg) || arg.kind === 'other' ? 'all' : i)
    if (calledName(call) === 'array_map' && call.args[0]) {
      for (const fn of functionsIn(call.args[0]))
        for (const [i, isHeld] of held.slice(1).entries())
          if (isHeld) receive(fn, isSpread(call.args[i + 1]!) ? 'all' : i)
      return
    }
    for (const [i, arg] of call.args.entries())
      if (isOn || held.some((isHeld, j) => isHeld && j !== i))
        for (const fn of functionsIn(arg)) receive(fn, 'all')
    // An object that receives one may keep it.
    const kept = receiver && !isCarrier(call) ? rootOf(receiver) : null
    if (kept && !isSelf(kept) && !framework.has(kept.name) && held.some(Boolean) && called.length > 0)
      bindings.add(scopes.bindingOf(kept))
  }

  /** Returns the variables of a pattern that get more than a field of a subscription. */
  const takeOut = (target: Code, source: Code | null, path: readonly Key[]) => {
    if (target.kind !== 'pattern') {
      if (path.length > 0 && (flow.isFormKnown ? isFieldOf(flow, path) : !path.some(isPurchases))) return
      for (const name of namesIn(target)) bindings.add(scopes.bindingOf(name))
      return
    }
    const isMap = source !== null && isContainer(source) && !isSource(kindOf(source))
    for (const entry of target.entries) {
      const isByWord = target.of === 'object' && entry.key !== null && !isIndex(entry.key) && !isMap
      takeOut(entry.target, null, isByWord || path.length > 0 ? [...path, entry.key ?? ''] : [])
    }
  }

  const isGivenName = ({ name, names: all, writes }: Binding): boolean => {
    if (given?.names.has(imported.get(name) ?? name) !== true && given?.names.has(name) !== true) return false
    if (writes.every(({ kind }) => kind === 'put' || kind === 'param' || kind === 'other'))
      return writes.every(({ kind }) => kind === 'put') || language === 'script'
    const [first] = writes.filter(({ kind }) => kind !== 'put').sort((a, b) => a.at - b.at)
    const until = first!.kind === 'value' ? first!.value.end : first!.at
    return all.some(({ start }) => start !== first!.at && start < until)
  }

  const all = [...new Set(names.map((name) => scopes.bindingOf(name)))]
  const sizeOf = () => bindings.size + giving.size + properties.size + sharedNames.size + sizeOfReceiving()
  const sizeOfReceiving = () => {
    let size = 0
    for (const value of receiving.values()) size += value === 'all' ? 1000 : value.size
    return size
  }

  const round = () => {
    memo = new Map()
    for (const binding of all) {
      if (bindings.has(binding)) continue
      if (isGivenName(binding) || binding.writes.some(ofWrite)) bindings.add(binding)
    }
    for (const { target, fn, index } of takenParams) if (isParam(fn, index)) takeOut(target, null, [])
    for (const { target, source } of patterns) if (holds(source)) takeOut(target, source, [])
    for (const [a, b] of references) {
      const [left, right] = [rootOf(a), rootOf(b)]
      if (!left || !right) continue
      if (holds(left) || holds(right))
        for (const name of [left, right]) if (!isSelf(name)) bindings.add(scopes.bindingOf(name))
    }
    for (const name of shared) {
      const isShared = given?.shared.has(name.name) === true || sharedNames.has(name.name)
      if (isShared || bindings.has(scopes.bindingOf(name))) {
        sharedNames.add(name.name)
        bindings.add(scopes.bindingOf(name))
      }
    }
    if (shared.length > 0)
      for (const binding of all) {
        if (!binding.isOutermost || !shared.some(({ name }) => name === binding.name)) continue
        if (bindings.has(binding)) sharedNames.add(binding.name)
        else if (sharedNames.has(binding.name)) bindings.add(binding)
      }
    for (const { key, value } of writtenProperties) if (holds(value)) properties.add(key)
    for (const call of calls) passArguments(call)
    for (const fns of functions.values())
      for (const fn of fns) {
        for (const i of fn.promoted ?? []) {
          const param = fn.params[i]
          if (param?.kind === 'name' && bindings.has(scopes.bindingOf(param))) properties.add(param.name)
        }
        if (!giving.has(fn) && returnsOf(fn).some(holds)) {
          giving.add(fn)
          if (fn.isGetter && fn.name) properties.add(fn.name)
        }
      }
  }
  for (let rounds = 0, before = -1; before !== sizeOf(); rounds++) {
    before = sizeOf()
    round()
    // Nobody writes chains this long; from here on every variable may hold one, if any does.
    if (rounds === 20 && bindings.size > 0) isEverything = true
    if (rounds === 20) break
  }
  memo = new Map()

  return {
    holds,
    isContainer,
    gives: (fn) => giving.has(fn),
    takes: isParam,
    receives: (fn) => receiving.has(fn) || isParam(fn, 0),
    properties,
    functionsIn,
    isOnlyFunctions,
    functionsBy,
  }
}

interface Targets {
  readonly functions: readonly Fn[]
  readonly isComplete: boolean
}
const unknownTargets: Targets = { functions: [], isComplete: false }
/** A value that nobody knows. */
const nowhere: Code = { kind: 'other', start: 0, end: 0, what: 'unknown', children: [] }

function shortName(name: string): string {
  return name.replace(/^.*\\/, '').toLowerCase()
}

function isSelfWord(code: Code): boolean {
  return isSelf(code) || (code.kind === 'word' && /^(?:self|static)$/i.test(code.name))
}

/** Returns the values that a function returns or yields, without its inner functions. */
export function returnsOf(fn: Fn): readonly Code[] {
  if (fn.body.kind !== 'block') return [fn.body]
  const found: Code[] = []
  const go = (code: Code) => {
    if (code.kind === 'return' && code.value) found.push(code.value)
    if (code.kind === 'other' && /^yield/i.test(code.what)) found.push(...code.children)
    if (code.kind !== 'function') for (const child of childrenOf(code)) go(child)
  }
  go(fn.body)
  return found
}

/** Returns true for `f(...)`, PHP's reference to a function. */
export function isReference(call: Call): boolean {
  return call.args.some((arg) => arg.kind === 'other' && arg.what === 'variadicplaceholder')
}

/** Returns true if a call renders a template with variables, which other files see by name. */
export function isCarrier(call: Call): boolean {
  const name = calledName(call) ?? ''
  if (!/^(?:snippet|render|renderAsync|renderFile|view|component)$/.test(name)) return false
  // An inline template is not read here.
  return !call.args.some((arg) => arg.kind === 'literal' && /\{\{|\{%|<%|<\?/.test(String(arg.value)))
}

/** Returns true for an object that this file creates, and for a variable that holds nothing else. */
export function isMade(code: Code, scopes: Scopes): boolean {
  const inner = unwrap(code)
  if (inner.kind === 'call') return inner.isNew
  if (inner.kind === 'other') return inner.what === 'ObjectExpression'
  if (inner.kind !== 'name') return false
  const { writes } = scopes.bindingOf(inner)
  const values = writes.filter(({ kind }) => kind !== 'put')
  return values.length > 0 && values.every((write) => write.kind === 'value' && isMade(write.value, scopes))
}

/** Returns true for `$this`, `self`, `this`. */
export function isSelf(code: Code): boolean {
  return code.kind === 'name' && /^(?:this|self|static)$/.test(code.name)
}

/** Returns the variables that a pattern names. */
export function namesIn(target: Code): Name[] {
  if (target.kind === 'name') return [target]
  if (target.kind === 'pattern') return target.entries.flatMap((entry) => namesIn(entry.target))
  return target.kind === 'other' ? target.children.flatMap(namesIn) : []
}

/** Returns true for a call that reads a named field of the provider's data: `A::get($data, 'customer')`. */
export function isDataRead(call: Call, kindOf: (code: Code) => Kind): boolean {
  return (
    /(?:^|::|_)(?:get|has|key_exists)$/i.test(calledName(call) ?? '') &&
    call.args.some((arg) => arg.kind === 'literal' && typeof arg.value === 'string') &&
    call.args.some((arg) => kindOf(arg) === 'data')
  )
}

/** Names of objects that belong to the CMS or the server, not to the site. */
export const framework: ReadonlySet<string> = new Set(
  'kirby page pages site user users ctx req res request response app c cache session $ console window document'.split(
    ' ',
  ),
)

// Lists in both versions.
const lists: ReadonlySet<Kind> = new Set(['subscriptions', 'strangers', 'payments', 'nothing'])

/** Fields of an item that are the same in both versions, or only in version 2. */
const itemFields = new Set('id quantity price_id product_id'.split(' '))

function isSpread(arg: Code): boolean {
  return arg.kind === 'other' && /^(?:variadic|spread)$/.test(arg.what)
}

// Constructs that return a boolean, a number or a text, or hold statements.
const plain = new Set(
  (
    'not isset empty unset template encapsed part simple unary class property echo print while for do switch case ' +
    'try catch throw global rewritten static WhileStatement ForStatement ForInStatement DoWhileStatement ' +
    'SwitchStatement TryStatement ThrowStatement JSXElement JSXFragment typeof declared declarations'
  ).split(' '),
)

const plainFunctions =
  /^(?:count|sizeof|implode|join|in_array|array_search|array_sum|array_key(?:s|_exists|_first|_last)|key_exists|is_\w+|str\w+|mb_\w+|json_encode|serialize|print_r|var_dump|var_export|gettype|get_debug_type|number_format|date|s?printf|md5|sha1|hash|u[ak]?sort|sort|array_multisort|array_any|array_all|array_find_key|snippet|esc|html|h|t|e)$/
const plainMethods =
  /^(?:some|every|includes|indexOf|lastIndexOf|findIndex|findLastIndex|join|has|forEach|stringify|isArray|render|count|isEmpty|isNotEmpty)$/
const mapping = /^(?:array_(?:map|reduce|walk)|map|flatMap|reduce|A::map)$/
const listFunctions =
  /^(?:array_(?:map|filter|merge|values|reverse|slice|chunk|unique|column|combine|fill_keys|pad|replace|diff\w*|intersect\w*)|iterator_to_array|range|compact|A::(?:map|filter|sort|slice|merge)|func_get_args|explode)$/
const listMethods =
  /^(?:map|filter|slice|concat|flat|flatMap|sort|toSorted|reverse|toReversed|values|entries|keys|from|of|groupBy)$/

/** Collects the parts of a file that are used repeatedly. */
function gather(root: Code) {
  const names: Name[] = []
  const calls: Call[] = []
  const functions = new Map<string, Fn[]>()
  const patterns: { target: Code; source: Code }[] = []
  const takenParams: { target: Code; fn: Fn; index: number }[] = []
  const references: [Code, Code][] = []
  const writtenProperties: { key: string; value: Code }[] = []
  const shared: Name[] = []
  const write = (key: unknown, value: Code) => {
    if (typeof key === 'string') writtenProperties.push({ key, value })
  }
  walkCode(root, (code) => {
    switch (code.kind) {
      case 'name':
        names.push(code)
        break
      case 'call':
        calls.push(code)
        break
      case 'function': {
        const key = code.name?.toLowerCase() ?? `at ${code.start}`
        functions.set(key, [...(functions.get(key) ?? []), code])
        for (const [index, param] of code.params.entries()) {
          if (param.kind === 'name') continue
          takenParams.push({ target: param, fn: code, index })
          if (param.fallback) patterns.push({ target: param, source: param.fallback })
        }
        break
      }
      case 'assign':
        if (code.target.kind === 'pattern') patterns.push({ target: code.target, source: code.value })
        if (code.target.kind === 'member' && code.target.style !== 'index') write(code.target.key, code.value)
        break
      case 'each':
        if (code.target.kind === 'pattern') patterns.push({ target: code.target, source: code.list })
        break
      case 'other':
        if (code.what === 'assignref' && code.children.length === 2)
          references.push([code.children[0]!, code.children[1]!])
        if (code.what === 'global') shared.push(...code.children.flatMap(namesIn))
        if ((code.what === 'entry' || code.what === 'property') && code.children.length === 2) {
          const [key, value] = code.children as [Code, Code]
          if (key.kind === 'literal') write(key.value, value)
        }
        break
      default:
    }
  })
  return { names, calls, functions, patterns, takenParams, references, writtenProperties, shared }
}
