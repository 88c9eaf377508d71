import { isPhpNode, type PhpNode } from '../php.ts'
import type { Code, Key, Scope, Span } from './code.ts'

/**
 * Converts PHP's syntax tree to the common one. If a place of the parser does not match the text, the piece
 * becomes unknown, so that it is never edited.
 */
export function fromPhp(tree: PhpNode, text: string): Code {
  const convert = (value: unknown): Code => {
    const node = value as PhpNode
    return Object.hasOwn(kinds, node.kind) ? kinds[node.kind]!(node) : other(node, node.kind)
  }

  const all = (nodes: unknown): Code[] => (Array.isArray(nodes) ? nodes.filter(isPhpNode).map(convert) : [])
  const orNull = (node: unknown): Code | null => (isPhpNode(node) ? convert(node) : null)
  const childrenOf = (node: PhpNode): Code[] =>
    Object.values(node)
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter(isPhpNode)
      .map(convert)
  const other = (node: PhpNode, what: string): Code => ({
    kind: 'other',
    ...spanOf(node),
    what,
    children: childrenOf(node),
  })

  const variable = (node: PhpNode): Code => {
    // `&$x` in a loop begins at the ampersand.
    const written = `$${String(node.name)}`
    const start = text[node.start] === '&' ? text.indexOf('$', node.start) : node.start
    if (typeof node.name !== 'string' || !text.startsWith(written, start)) return other(node, 'variable')
    return { kind: 'name', name: node.name, start, end: start + written.length }
  }

  const member = (node: PhpNode): Code => {
    const object = convert(node.what)
    const offset = node.offset
    const style =
      node.kind === 'offsetlookup' ? 'index' : node.kind === 'staticlookup' ? 'static' : 'property'
    // `$list[]` has no key.
    if (!isPhpNode(offset)) {
      const { start, end } = node
      const keyAt = { start: end, end }
      return { kind: 'member', start, end, object, key: null, keyAt, dynamic: null, style, isOptional: false }
    }
    const key = keyOf(offset)
    const keyAt = { start: offset.start, end: offset.end }
    const end = style === 'index' ? closing(text, keyAt.end, ']') : keyAt.end
    return {
      kind: 'member',
      start: node.start,
      end: end ?? node.end,
      object,
      key: end === null ? null : key,
      keyAt,
      dynamic: key === null ? convert(offset) : null,
      style,
      isOptional: node.kind === 'nullsafepropertylookup',
    }
  }

  const call = (node: PhpNode): Code => {
    const args = all(node.arguments)
    // The parser includes the semicolon in a call at the end of a statement.
    const written = text.slice(node.start, node.end).replace(/[\s;]+$/, '')
    return {
      kind: 'call',
      start: node.start,
      end: node.start + written.length,
      callee: asCalled(convert(node.what)),
      args,
      isNew: node.kind === 'new',
    }
  }

  const assign = (node: PhpNode): Code => {
    const value = convert(node.right)
    return {
      kind: 'assign',
      start: node.start,
      end: node.end,
      target: target(node.left),
      value,
      operator: String(node.operator ?? '='),
    }
  }

  const target = (value: unknown): Code => {
    const node = value as PhpNode
    if (node.kind !== 'list' && node.kind !== 'array') return convert(node)
    const items = (Array.isArray(node.items) ? node.items : []) as (PhpNode | null)[]
    const isKeyed = items.some((item) => isPhpNode(item?.key))
    return {
      kind: 'pattern',
      start: node.start,
      end: node.end,
      of: isKeyed ? 'object' : 'list',
      entries: items.flatMap((item, i) =>
        isPhpNode(item) && item.kind !== 'noop'
          ? [{ key: isPhpNode(item.key) ? keyOf(item.key) : i, target: target(item.value ?? item) }]
          : [],
      ),
    }
  }

  const fn = (node: PhpNode): Code => {
    const params = (Array.isArray(node.arguments) ? node.arguments : []) as PhpNode[]
    const names = params.map((param) => String((param.name as PhpNode | null)?.name ?? param.name))
    const uses = (Array.isArray(node.uses) ? node.uses : []) as PhpNode[]
    const scope: Scope =
      node.kind === 'arrowfunc'
        ? { declares: new Set(names), captures: new Set() }
        : { declares: null, captures: new Set(uses.map((use) => String(use.name))) }
    return {
      kind: 'function',
      ...(node.name ? { name: String((node.name as PhpNode).name ?? node.name) } : {}),
      start: node.start,
      end: node.end,
      params: params.map((param, i): Code => {
        const name = { kind: 'name', name: names[i]!, start: param.start, end: param.end } as const
        return isPhpNode(param.value) ? { ...name, fallback: convert(param.value) } : name
      }),
      ...(owners.length > 0 && node.kind === 'method' ? { owner: owners.at(-1)! } : {}),
      byReference: params.flatMap(({ byref }, i) => (byref === true ? [i] : [])),
      // Flags are the words public, protected and private.
      promoted: params.flatMap(({ flags, readonly }, i) =>
        Number(flags) > 0 || readonly === true ? [i] : [],
      ),
      arrays: { params: params.map(({ type }) => arrayIn(type)), returned: arrayIn(node.type) },
      scalars: { params: params.map(({ type }) => scalarIn(type)), returned: scalarIn(node.type) },
      body: orNull(node.body) ?? { kind: 'block', start: node.end, end: node.end, body: [] },
      scope,
    }
  }

  /** Names of the surrounding classes. */
  const owners: string[] = []
  const classOf: Read = (node) => {
    owners.push(String((node.name as PhpNode | null)?.name ?? '').toLowerCase())
    const made = other(node, 'class')
    owners.pop()
    return made
  }
  const property: Read = (node) => {
    const { start, end } = spanOf(node)
    const name = node.name as PhpNode
    const key: Code = { kind: 'literal', ...spanOf(name), value: String(name.name ?? node.name) }
    const value = orNull(node.value)
    return {
      kind: 'other',
      start,
      end,
      what: 'property',
      children: [key, ...(value ? [value] : [])],
      array: arrayIn(node.type),
      scalar: scalarIn(node.type),
    }
  }
  const block: Read = (node) => ({ kind: 'block', ...spanOf(node), body: all(node.children) })
  const literal: Read = (node) => ({ kind: 'literal', ...spanOf(node), value: literalOf(node) })
  const rewritten: Read = (node) => other(node, 'rewritten')

  // The parser's names for each kind; any other node becomes unknown, with its parts.
  const kinds: Readonly<Record<string, Read>> = {
    program: (node) => ({ kind: 'block', ...spanOf(node), body: all(node.children), scope: everything() }),
    block,
    namespace: block,
    inline: (node) => ({ kind: 'html', ...spanOf(node), isBlank: String(node.raw).trim() === '' }),
    expressionstatement: (node) => ({ kind: 'statement', ...spanOf(node), inner: convert(node.expression) }),
    return: (node) => ({ kind: 'return', ...spanOf(node), value: orNull(node.expr) }),
    break: (node) => (node.level === null ? { kind: 'break', ...spanOf(node) } : other(node, 'break')),
    variable,
    name: (node) => ({ kind: 'word', ...spanOf(node), name: String(node.name) }),
    string: literal,
    number: literal,
    boolean: literal,
    nullkeyword: (node) => ({ kind: 'literal', ...spanOf(node), value: null }),
    offsetlookup: member,
    propertylookup: member,
    nullsafepropertylookup: member,
    staticlookup: member,
    call,
    new: call,
    assign,
    foreach: (node) => ({
      kind: 'each',
      ...spanOf(node),
      list: convert(node.source),
      index: orNull(node.key),
      target: target(node.value),
      body: convert(node.body),
    }),
    if: (node) => ({
      kind: 'if',
      ...spanOf(node),
      test: convert(node.test),
      yes: convert(node.body),
      no: orNull(node.alternate),
    }),
    bin: (node) => ({
      kind: 'binary',
      ...spanOf(node),
      operator: String(node.type),
      left: convert(node.left),
      right: convert(node.right),
    }),
    retif: (node) => ({
      kind: 'choice',
      ...spanOf(node),
      test: convert(node.test),
      yes: orNull(node.trueExpr),
      no: convert(node.falseExpr),
    }),
    silent: (node) => ({ kind: 'wrap', ...spanOf(node), inner: convert(node.expr) }),
    closure: fn,
    arrowfunc: fn,
    function: fn,
    method: fn,
    encapsedpart: (node) => other(node, node.syntax === 'simple' ? 'simple' : 'part'),
    unary: (node) => other(node, node.type === '!' ? 'not' : 'unary'),
    array: (node) => other(node, 'list'),
    entry: (node) => other(node, node.unpack === true ? 'spread' : node.byRef === true ? 'byref' : 'entry'),
    class: classOf,
    trait: classOf,
    enum: classOf,
    property,
    global: (node) => other(node, 'global'),
    static: rewritten,
  }

  return convert(tree)
}

type Read = (node: PhpNode) => Code

/** Writes the name of a called function or method as the analysis knows it, because PHP ignores its case. */
function asCalled(callee: Code): Code {
  if (callee.kind === 'word') return { ...callee, name: asKnown(callee.name) }
  if (callee.kind !== 'member' || typeof callee.key !== 'string') return callee
  return { ...callee, key: asKnown(callee.key) }
}

function asKnown(name: string): string {
  return knownNames.get(name.toLowerCase()) ?? name
}

const knownNames = new Map(
  (
    'subscriptions purchases payments getUserData subscriptionForPrice membership provider user users content get ' +
    'toData toArray yaml value kirby snippet compact extract first last nth filter map find each values slice limit ' +
    'offset sortBy count isEmpty isNotEmpty current next valid rewind key send getReturn func_get_args func_get_arg ' +
    'call_user_func call_user_func_array sizeof json_encode serialize print_r var_dump var_export usort uasort uksort ' +
    'array_map array_filter array_walk array_reduce array_column array_merge array_slice array_values array_reverse ' +
    'array_shift array_pop array_push array_unshift array_keys array_chunk iterator_to_array iterator_apply in_array ' +
    'reset end prev implode is_array is_null boolval option'
  )
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
)

function spanOf(node: PhpNode): Span {
  return { start: node.start ?? 0, end: node.end ?? 0 }
}

/** Returns the place of `array` in a type, also in `?array` and `array|null`. */
function arrayIn(type: unknown): Span | null {
  return namedIn(type, /^array$/i)
}

/** Returns the place of a text or number type. */
function scalarIn(type: unknown): Span | null {
  return namedIn(type, /^(?:string|int|float|bool)$/i)
}

function namedIn(type: unknown, name: RegExp): Span | null {
  if (!isPhpNode(type)) return null
  if (type.kind === 'uniontype')
    return (type.types as unknown[]).map((part) => namedIn(part, name)).find((span) => span !== null) ?? null
  return name.test(String(type.name)) ? { start: type.start, end: type.end } : null
}

function everything(): Scope {
  return { declares: null, captures: new Set() }
}

function literalOf(node: PhpNode): string | number | boolean {
  if (node.kind === 'number') return Number(node.value)
  return node.kind === 'boolean' ? node.value === true : String(node.value)
}

function keyOf(offset: PhpNode): Key | null {
  if (offset.kind === 'string') return String(offset.value)
  if (offset.kind === 'number') return Number.isInteger(Number(offset.value)) ? Number(offset.value) : null
  // After an arrow, and in "$a[key]", a bare word is the key itself.
  return offset.kind === 'identifier' ? String(offset.name) : null
}

function closing(text: string, from: number, bracket: string): number | null {
  let at = from
  while (at < text.length && /\s/.test(text[at]!)) at++
  return text[at] === bracket ? at + 1 : null
}
