import { isScriptNode, type ScriptNode } from '../script.ts'
import type { Code, Key, Other, Scope } from './code.ts'
import { fromPlainScript, spanOf } from './script-plain.ts'

/**
 * Converts the syntax tree of JavaScript or TypeScript to the common one, without types. `exportedAs` is its
 * default export.
 */
export function fromScript(tree: ScriptNode, exportedAs: string): Code {
  // Declarations of `var` belong to the nearest function, the others to the nearest block.
  const blocks: Set<string>[] = []
  const functions: Set<string>[] = []

  const scoped = <T extends Code>(isFunction: boolean, make: () => T): T => {
    const names = new Set<string>()
    blocks.push(names)
    if (isFunction) functions.push(names)
    const made = make()
    blocks.pop()
    if (isFunction) functions.pop()
    const scope: Scope = { declares: names, captures: new Set() }
    return { ...made, scope }
  }
  const declare = (names: Iterable<string>, isVar = false) => {
    const scope = (isVar ? functions : blocks).at(-1)
    for (const name of names) scope?.add(name)
  }

  const convert = (value: unknown): Code => {
    const node = value as ScriptNode
    const plain = fromPlainScript(node, convert)
    if (plain) return plain
    if (Object.hasOwn(kinds, node.type)) return kinds[node.type]!(node)
    return node.type.startsWith('TS') ? leaf(node, 'type') : other(node, names[node.type] ?? node.type)
  }

  const all = (nodes: unknown): Code[] =>
    Array.isArray(nodes) ? nodes.filter(isScriptNode).map(convert) : []
  const orNull = (node: unknown): Code | null => (isScriptNode(node) ? convert(node) : null)
  const asDefault = (code: Code): Code => (code.kind === 'function' ? { ...code, exportedAs } : code)
  const leaf = (node: ScriptNode, what: string): Other => withChildren(node, what, [])
  const withChildren = ({ start, end }: ScriptNode, what: string, children: Code[]): Other => ({
    kind: 'other',
    start,
    end,
    what,
    children,
  })
  const only = (node: ScriptNode, inner: unknown): Code =>
    withChildren(node, node.type, isScriptNode(inner) ? [convert(inner)] : [])
  const other = (node: ScriptNode, what: string): Code => {
    const values = Object.entries(node).flatMap(([name, value]) => (unread.has(name) ? [] : value))
    return withChildren(node, what, values.filter(isScriptNode).map(convert))
  }

  const declaration = (node: ScriptNode): Code => {
    const made = (node.declarations as ScriptNode[]).map((declarator): Code => {
      declare(namesIn(declarator.id as ScriptNode), node.kind === 'var')
      const span = spanOf(declarator)
      const to = target(declarator.id)
      if (!isScriptNode(declarator.init)) return { kind: 'other', ...span, what: 'declared', children: [to] }
      return {
        kind: 'assign',
        ...span,
        target: to,
        value: withName(convert(declarator.init), declarator.id),
        operator: '=',
      }
    })
    const span = spanOf(node)
    return made.length === 1
      ? { kind: 'statement', ...span, inner: made[0]! }
      : { kind: 'other', ...span, what: 'declarations', children: made }
  }

  const each = (node: ScriptNode): Code => {
    const left = node.left as ScriptNode
    const isDeclared = left.type === 'VariableDeclaration'
    const to = isDeclared ? ((left.declarations as ScriptNode[])[0]!.id as ScriptNode) : left
    if (isDeclared) declare(namesIn(to), left.kind === 'var')
    return {
      kind: 'each',
      start: node.start,
      end: node.end,
      list: convert(node.right),
      index: null,
      target: target(to),
      body: convert(node.body),
    }
  }

  const template = (node: ScriptNode): Code => {
    const quasis = node.quasis as ScriptNode[]
    const { start, end } = node
    if (quasis.length === 1) return convert({ ...quasis[0]!, start, end })
    const pieces = [...quasis, ...(node.expressions as ScriptNode[])].sort((a, b) => a.start - b.start)
    return { kind: 'other', start, end, what: 'template', children: pieces.map(convert) }
  }

  const member = (node: ScriptNode): Code => {
    const property = node.property as ScriptNode
    const isComputed = node.computed === true
    const key = keyOf(property, isComputed)
    return {
      kind: 'member',
      start: node.start,
      end: node.end,
      object: convert(node.object),
      key,
      keyAt: { start: property.start, end: property.end },
      dynamic: isComputed && key === null ? convert(property) : null,
      style: 'property',
      isOptional: node.optional === true,
    }
  }

  const keyCode = (node: ScriptNode): Code => {
    const key = node.key as ScriptNode
    const value = keyOf(key, node.computed === true)
    if (value === null) return node.computed === true ? convert(key) : leaf(key, 'key')
    return { kind: 'literal', start: key.start, end: key.end, value }
  }

  const target = (value: unknown): Code => {
    const node = value as ScriptNode
    const span = spanOf(node)
    switch (node.type) {
      case 'AssignmentPattern':
        return { ...target(node.left), fallback: convert(node.right) }
      case 'RestElement':
        return { kind: 'other', ...span, what: 'rewritten', children: [target(node.argument)] }
      case 'TSParameterProperty':
        return target(node.parameter)
      case 'ArrayPattern':
        return {
          kind: 'pattern',
          ...span,
          of: 'list',
          entries: (node.elements as (ScriptNode | null)[]).flatMap((element, key) =>
            isScriptNode(element) ? [{ key, target: target(element) }] : [],
          ),
        }
      case 'ObjectPattern':
        return {
          kind: 'pattern',
          ...span,
          of: 'object',
          entries: (node.properties as ScriptNode[]).map((entry) =>
            entry.type === 'RestElement'
              ? { key: null, target: target(entry) }
              : { key: keyOf(entry.key as ScriptNode, entry.computed === true), target: target(entry.value) },
          ),
        }
      default:
        return convert(node)
    }
  }

  const fn = (node: ScriptNode): Code =>
    scoped(true, () => {
      const params = (Array.isArray(node.params) ? node.params : []) as ScriptNode[]
      for (const param of params) declare(namesIn(param))
      if (node.type === 'FunctionExpression' && isScriptNode(node.id)) declare(namesIn(node.id))
      const body = orNull(node.body) ?? leaf(node, 'abstract')
      const { start, end } = node
      const made: Code = { kind: 'function', start, end, params: params.map(target), body }
      const owner = node.type.startsWith('Class') ? { owner: owners.at(-1) ?? '' } : {}
      return withName(
        { ...made, ...owner, ...(node.kind === 'get' ? { isGetter: true } : {}) },
        node.id ?? node.key,
      )
    })

  /** Names of the surrounding classes. */
  const owners: string[] = []
  const classOf = (node: ScriptNode): Code => {
    owners.push(isScriptNode(node.id) ? String(node.id.name).toLowerCase() : '')
    const made = other(node, 'class')
    owners.pop()
    return made
  }

  const block: Read = (node) =>
    scoped(false, () => ({ kind: 'block', ...spanOf(node), body: all(node.body) }))
  const scopedOther: Read = (node) => scoped(false, () => other(node, node.type))
  const plainLeaf: Read = (node) => leaf(node, node.type)
  const property: Read = (node) =>
    withChildren(node, 'property', node.value ? [keyCode(node), withName(convert(node.value), node.key)] : [])
  const named =
    (read: Read): Read =>
    (node) => {
      if (isScriptNode(node.id)) declare(namesIn(node.id))
      return read(node)
    }

  // The parser's names for each kind that declares, has a scope, or has its own parts.
  const kinds: Readonly<Record<string, Read>> = {
    Program: (node) => scoped(true, () => ({ kind: 'block', ...spanOf(node), body: all(node.body) })),
    BlockStatement: block,
    StaticBlock: block,
    VariableDeclaration: declaration,
    BreakStatement: (node) => (node.label ? leaf(node, 'break') : { kind: 'break', ...spanOf(node) }),
    TemplateLiteral: template,
    MemberExpression: member,
    OptionalMemberExpression: member,
    AssignmentExpression: (node) => ({
      kind: 'assign',
      ...spanOf(node),
      target: target(node.left),
      value: isDefaultExport(node.left)
        ? asDefault(convert(node.right))
        : withName(convert(node.right), node.left),
      operator: String(node.operator),
    }),
    ForOfStatement: (node) => scoped(false, () => each(node)),
    ForStatement: scopedOther,
    ForInStatement: scopedOther,
    SwitchStatement: scopedOther,
    CatchClause: (node) =>
      scoped(false, () => {
        if (isScriptNode(node.param)) declare(namesIn(node.param))
        return other(node, 'catch')
      }),
    UnaryExpression: (node) =>
      other(node, node.operator === '!' ? 'not' : node.operator === 'delete' ? 'unset' : 'unary'),
    FunctionDeclaration: named(fn),
    ClassDeclaration: named(classOf),
    ClassExpression: classOf,
    FunctionExpression: fn,
    ArrowFunctionExpression: fn,
    ObjectMethod: fn,
    ClassMethod: fn,
    ClassPrivateMethod: fn,
    ObjectProperty: (node) =>
      withChildren(node, 'entry', [keyCode(node), withName(convert(node.value), node.key)]),
    ClassProperty: property,
    ClassPrivateProperty: property,
    ImportDeclaration: (node) => {
      for (const specifier of node.specifiers as ScriptNode[]) declare(namesIn(specifier.local as ScriptNode))
      return leaf(node, 'import')
    },
    ExportAllDeclaration: plainLeaf,
    ContinueStatement: plainLeaf,
    MetaProperty: plainLeaf,
    LabeledStatement: (node) => only(node, node.body),
    ExportNamedDeclaration: (node) => only(node, node.declaration),
    ExportDefaultDeclaration: (node) => withChildren(node, node.type, [asDefault(convert(node.declaration))]),
  }

  return convert(tree)
}

type Read = (node: ScriptNode) => Code

// Names in this tree for nodes that the parser names differently.
const names: Record<string, string> = {
  ArrayExpression: 'list',
  SpreadElement: 'spread',
  UpdateExpression: 'rewritten',
}

/** Returns the key of a property; null if it is known only at run time. */
function keyOf(property: ScriptNode, isComputed: boolean): Key | null {
  if (property.type === 'StringLiteral') return String(property.value)
  if (property.type === 'NumericLiteral')
    return Number.isInteger(property.value) ? (property.value as number) : null
  return !isComputed && property.type === 'Identifier' ? String(property.name) : null
}

/** Returns the names that a pattern declares. */
function namesIn(pattern: ScriptNode): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [String(pattern.name)]
    case 'AssignmentPattern':
      return namesIn(pattern.left as ScriptNode)
    case 'RestElement':
      return namesIn(pattern.argument as ScriptNode)
    case 'TSParameterProperty':
      return namesIn(pattern.parameter as ScriptNode)
    case 'ArrayPattern':
      return (pattern.elements as unknown[]).filter(isScriptNode).flatMap(namesIn)
    case 'ObjectPattern':
      return (pattern.properties as ScriptNode[]).flatMap((property) =>
        namesIn((property.type === 'RestElement' ? property : property.value) as ScriptNode),
      )
    default:
      return []
  }
}

/** Types, comments, and the parser's own notes, which hold no values. */
const unread = new Set([
  'leadingComments',
  'trailingComments',
  'innerComments',
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'superTypeParameters',
  'returnType',
  'implements',
])

/** Names a function by the place that defines it: `const f = …`, `exports.f = …`, `{ f: … }`. */
function withName<T extends Code>(code: T, where: unknown): T {
  const name = code.kind === 'function' && isScriptNode(where) ? lastWord(where) : null
  return name === null ? code : { ...code, name }
}

function lastWord(node: ScriptNode): string | null {
  if (node.type === 'PrivateName') return lastWord(node.id as ScriptNode)
  const word = keyOf(node.type === 'MemberExpression' ? (node.property as ScriptNode) : node, false)
  return word === null ? null : String(word)
}

/** `module.exports = …` */
function isDefaultExport(target: unknown): boolean {
  return (
    isScriptNode(target) &&
    target.type === 'MemberExpression' &&
    (target.object as ScriptNode).name === 'module' &&
    (target.property as ScriptNode).name === 'exports'
  )
}
