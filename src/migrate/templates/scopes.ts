import {
  type Code,
  calledName,
  childrenOf,
  type Each,
  type Name,
  receiverOf,
  type Scope,
  unwrap,
} from './code.ts'

/** A place that writes to a variable. */
export type Write =
  | { readonly kind: 'value'; readonly at: number; readonly value: Code }
  /** One element of a list after the other. */
  | { readonly kind: 'element'; readonly at: number; readonly list: Code }
  /** Something is added to it: `$x[] = …`, `x.push(…)`; or `below` it: `$x['a'][] = …`. */
  | { readonly kind: 'put'; readonly at: number; readonly value: Code | null; readonly below?: Code }
  /** A parameter of a function, by its position. */
  | { readonly kind: 'param'; readonly at: number; readonly of: Code; readonly index: number }
  | { readonly kind: 'other'; readonly at: number }

/** A variable of one scope. */
export interface Binding {
  readonly name: string
  /** True for a variable of the file itself, outside functions. */
  readonly isOutermost: boolean
  readonly writes: readonly Write[]
  /** Every place that names it, writes included. */
  readonly names: readonly Name[]
}

export interface Scopes {
  bindingOf(name: Name): Binding
  parentOf(code: Code): Code | null
}

interface Open {
  readonly scope: Scope
  readonly bindings: Map<string, Binding & { writes: Write[]; names: Name[] }>
}

/** Resolves each name to its variable, and collects the writes. O(size). */
export function readScopes(root: Code): Scopes {
  const parents = new Map<Code, Code>()
  const bound = new Map<Name, Binding & { writes: Write[]; names: Name[] }>()
  const stack: Open[] = []

  const resolve = (name: string): Binding & { writes: Write[]; names: Name[] } => {
    let at = stack.length - 1
    while (at > 0) {
      const { declares, captures } = stack[at]!.scope
      if (declares === null ? !captures.has(name) : declares.has(name)) break
      at--
    }
    const { bindings } = stack[at]!
    const known = bindings.get(name)
    if (known) return known
    const made = { name, isOutermost: at <= 1, writes: [], names: [] }
    bindings.set(name, made)
    return made
  }

  const go = (code: Code, parent: Code | null) => {
    if (parent) parents.set(code, parent)
    if (code.scope) stack.push({ scope: code.scope, bindings: new Map() })
    if (code.kind === 'name') {
      const binding = resolve(code.name)
      binding.names.push(code)
      bound.set(code, binding)
    } else for (const { name, write } of writesOf(code)) resolve(name).writes.push(write)
    for (const child of childrenOf(code)) go(child, code)
    if (code.scope) stack.pop()
  }
  stack.push({ scope: { declares: null, captures: new Set() }, bindings: new Map() })
  go(root, null)

  return {
    bindingOf: (name) => bound.get(name)!,
    parentOf: (code) => parents.get(code) ?? null,
  }
}

/**
 * Returns the loop whose variable a name is, if nothing in its body writes to that variable. Inside, it is an
 * element of the list, whatever it was before.
 */
export function loopOf(name: Name, scopes: Scopes): Each | null {
  const binding = scopes.bindingOf(name)
  for (let code: Code = name, up = scopes.parentOf(code); up; code = up, up = scopes.parentOf(up)) {
    if (up.kind !== 'each' || code !== up.body) continue
    const { target, body } = up
    if (target.kind !== 'name' || scopes.bindingOf(target) !== binding) continue
    const isRewritten = binding.writes.some(
      ({ kind, at }) => kind !== 'put' && at >= body.start && at < body.end,
    )
    return isRewritten ? null : up
  }
  return null
}

interface NamedWrite {
  readonly name: string
  readonly write: Write
}

function writesOf(code: Code): NamedWrite[] {
  switch (code.kind) {
    case 'assign':
      return ofAssign(code.target, code.value, code.operator)
    case 'each':
      return [
        ...into(code.target, (at) => ({ kind: 'element', at, list: code.list })),
        ...(code.index ? into(code.index, unknownAt) : []),
      ]
    case 'function':
      return code.params.flatMap((param, index) =>
        into(param, (at) => ({ kind: 'param', at, of: code, index })),
      )
    case 'call':
      return ofCall(code)
    case 'other':
      return rewriting.has(code.what) ? code.children.flatMap((child) => into(child, unknownAt)) : []
    default:
      return []
  }
}

// Constructs that write to the variables they name: `global $a`, `$a++`, `$a = &$b`, `catch (E $e)`.
const rewriting = new Set([
  'rewritten',
  'global',
  'pre',
  'post',
  'assignref',
  'catch',
  'staticvariable',
  'byref',
])

function unknownAt(at: number): Write {
  return { kind: 'other', at }
}

function ofAssign(target: Code, value: Code, operator: string): NamedWrite[] {
  if (target.kind === 'member') {
    const root = unwrap(target.object)
    if (root.kind === 'name') return [named(root, { kind: 'put', at: root.start, value })]
    const deep = rootOf(root)
    return deep ? [named(deep, { kind: 'put', at: deep.start, value: null, below: value })] : []
  }
  const isPlain = operator === '=' || operator === '??=' || operator === '||='
  if (target.kind === 'pattern' && target.of === 'list')
    return target.entries.flatMap((entry) =>
      into(entry.target, (at) => (isPlain ? { kind: 'element', at, list: value } : unknownAt(at))),
    )
  return into(target, (at) => (isPlain ? { kind: 'value', at, value } : unknownAt(at)))
}

function ofCall(call: Code & { kind: 'call' }): NamedWrite[] {
  const name = calledName(call)
  const receiver = receiverOf(call)
  const isMethod = receiver !== null && (name === 'push' || name === 'unshift')
  const isFunction = receiver === null && (name === 'array_push' || name === 'array_unshift')
  if (!isMethod && !isFunction) return []
  const list = unwrap(isMethod ? receiver : (call.args[0] ?? call))
  const values = isMethod ? call.args : call.args.slice(1)
  return list.kind === 'name'
    ? values.map((value) => named(list, { kind: 'put', at: list.start, value }))
    : []
}

/** Returns a write for every name of a target; nested parts of a pattern are unknown. */
function into(target: Code, write: (at: number) => Write): NamedWrite[] {
  const { fallback } = target
  if (target.kind === 'name')
    return [
      named(target, write(target.start)),
      ...(fallback
        ? [named(target, { kind: 'value', at: target.start, value: fallback } satisfies Write)]
        : []),
    ]
  if (target.kind === 'pattern') return target.entries.flatMap((entry) => into(entry.target, unknownAt))
  if (target.kind === 'other' && rewriting.has(target.what))
    return target.children.flatMap((child) => into(child, unknownAt))
  return []
}

function named(name: Name, write: Write): NamedWrite {
  return { name: name.name, write }
}

/** Returns the variable at the base of `$a['b']->c`. */
export function rootOf(code: Code): Name | null {
  const inner = unwrap(code)
  if (inner.kind === 'name') return inner
  return inner.kind === 'member' ? rootOf(inner.object) : null
}
