import { isScriptNode, parseScript, type ScriptNode, walkScript } from '../script.ts'
import { type ConfigFile, quoteOf, type Syntax } from './syntax.ts'
import type { ConfigNode, Entry, MapNode } from './tree.ts'

/** Parses the object that a JavaScript or TypeScript module exports as a tree; null if none is visible. */
export function readScriptConfig(text: string, file: string): ConfigFile | null {
  const program = parseScript(text, file)
  if (!program) return null
  const body = list(program.body)
  const exported = exportedOf(body) ?? optionsOf(program)
  const constants = new Map(
    [...constantsOf(body)].filter(([name]) => name === exported?.name || !isWrittenTo(name, text)),
  )
  const root = exported && nodeOf(exported, text, constants)
  if (root?.kind !== 'map') return null
  return { root: root as MapNode, syntax: scriptSyntax(text) }
}

function scriptSyntax(text: string): Syntax {
  const usual = /['"]/.exec(text.replace(/^(import|export).*$/gm, ''))?.[0] ?? "'"
  const quoted = (value: string, like: string) => {
    const mark = quoteOf(like) || usual
    return `${mark}${value}${mark}`
  }
  return {
    key: (name, like) => (!quoteOf(like) && /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name, like)),
    pair: (key, value) => `${key}: ${value}`,
    list: (value) => `[${value}]`,
    map: (pair) => `{ ${pair} }`,
    text: quoted,
    canIndent: (moved) => !moved.includes('`'),
  }
}

type Constants = ReadonlyMap<string, ScriptNode>

function constantsOf(body: readonly ScriptNode[]): Constants {
  const declarations = body.flatMap((statement) => {
    const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    return isScriptNode(inner) && inner.type === 'VariableDeclaration' && inner.kind === 'const'
      ? list(inner.declarations)
      : []
  })
  return new Map(
    declarations.flatMap(({ id, init }) =>
      isScriptNode(id) && id.type === 'Identifier' && isScriptNode(init) ? [[String(id.name), init]] : [],
    ),
  )
}

/**
 * Matches `a.b = …`, `a['b'] = …`, `Object.assign(a, …)`: after such a write the first value does not count.
 */
function isWrittenTo(name: string, text: string): boolean {
  const word = `(?<![\\w$.])${name.replaceAll('$', '\\$')}`
  const put = `${word}\\s{0,9}(?:\\.\\s{0,9}[\\w$]{1,99}|\\[[^\\]\\n;]{0,200}\\]){1,9}\\s{0,9}(?:\\?\\?|\\|\\|)?=(?![=>])`
  return new RegExp(`${put}|\\bassign\\(\\s{0,9}${word}\\b`).test(text)
}

/**
 * Finds the exported object: `export default …`, `module.exports = …`, or the only exported constant with an
 * object.
 */
function exportedOf(body: readonly ScriptNode[]): ScriptNode | null {
  for (const statement of body) {
    if (statement.type === 'ExportDefaultDeclaration') return statement.declaration as ScriptNode
    if (statement.type !== 'ExpressionStatement') continue
    const assignment = statement.expression as ScriptNode
    if (assignment.type === 'AssignmentExpression' && isModuleExports(assignment.left as ScriptNode))
      return assignment.right as ScriptNode
  }
  const named = body.filter((s) => s.type === 'ExportNamedDeclaration' && isScriptNode(s.declaration))
  const constants = [...constantsOf(named).values()]
  return constants.length === 1 ? constants[0]! : null
}

/** Finds options in code: `createMembership({ … })`. */
function optionsOf(program: ScriptNode): ScriptNode | null {
  const found: ScriptNode[] = []
  walkScript(program, (node) => {
    if (node.type !== 'CallExpression' || nameOf(node.callee as ScriptNode) !== 'createMembership') return
    const [first] = list(node.arguments)
    if (first) found.push(first)
  })
  return found.length === 1 ? found[0]! : null
}

function isModuleExports(left: ScriptNode): boolean {
  if (left.type !== 'MemberExpression') return false
  const [object, property] = [left.object, left.property]
  return (
    isScriptNode(object) &&
    isScriptNode(property) &&
    ((object.name === 'module' && property.name === 'exports') ||
      (object.name === 'exports' && property.name === 'default'))
  )
}

function nodeOf(node: ScriptNode, text: string, constants: Constants, depth = 0): ConfigNode {
  const place = { source: text, start: node.start, end: node.end }
  const inner = wrapped(node)
  if (inner && depth < 20) return nodeOf(inner, text, constants, depth + 1)
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return { kind: 'literal', ...place, value: node.value as string }
    case 'NullLiteral':
      return { kind: 'literal', ...place, value: null }
    case 'TemplateLiteral':
      return list(node.expressions).length > 0 || text.slice(node.start, node.end).includes('\n')
        ? { kind: 'other', ...place }
        : { kind: 'literal', ...place, value: text.slice(node.start + 1, node.end - 1) }
    case 'ArrayExpression':
      return { kind: 'list', ...place }
    case 'ObjectExpression':
      return { kind: 'map', ...place, entries: entriesOf(node, text, constants, depth), isFlow: true }
    case 'Identifier': {
      const known = constants.get(String(node.name))
      const value = known && depth < 20 ? nodeOf(known, text, constants, depth + 1) : null
      return value?.kind === 'map' ? value : { kind: 'other', ...place }
    }
    default:
      return { kind: isEnv(text.slice(node.start, node.end)) ? 'env' : 'other', ...place }
  }
}

/** Unwraps `x as T`, `x satisfies T`, `(x)` and `defineConfig(x)`. */
function wrapped(node: ScriptNode): ScriptNode | null {
  if (/^(TSAsExpression|TSSatisfiesExpression|TSNonNullExpression|ParenthesizedExpression)$/.test(node.type))
    return node.expression as ScriptNode
  if (node.type !== 'CallExpression') return null
  const [first] = list(node.arguments)
  const callee = node.callee as ScriptNode
  const isObject = first && (first.type === 'ObjectExpression' || wrapped(first)?.type === 'ObjectExpression')
  return isObject && /^(define\w*|config|Object\.freeze)$/.test(nameOf(callee)) ? first : null
}

function nameOf(callee: ScriptNode): string {
  return callee.type === 'MemberExpression'
    ? `${nameOf(callee.object as ScriptNode)}.${nameOf(callee.property as ScriptNode)}`
    : String(callee.name ?? '')
}

function entriesOf(node: ScriptNode, text: string, constants: Constants, depth: number): Entry[] {
  return list(node.properties).map((property): Entry => {
    const key = property.key
    const isPlain = property.type === 'ObjectProperty' && property.computed !== true && isScriptNode(key)
    const value = property.value
    const isValue = isPlain && isScriptNode(value)
    return {
      key: isValue ? keyOf(key as ScriptNode) : null,
      keyStart: isScriptNode(key) ? key.start : property.start,
      keyEnd: isScriptNode(key) ? key.end : property.start,
      start: property.start,
      end: property.end,
      value: isValue
        ? nodeOf(value, text, constants, depth + 1)
        : { kind: 'other', source: text, start: property.start, end: property.end },
      isShorthand: property.shorthand === true,
    }
  })
}

function keyOf(key: ScriptNode): string | null {
  return key.type === 'Identifier'
    ? String(key.name)
    : key.type === 'StringLiteral'
      ? String(key.value)
      : null
}

function isEnv(written: string): boolean {
  return (
    /^process\.env(\.\w+|\[(['"])\w+\2\])!?$/.test(written) || /^(env|getenv)\((['"])\w+\2\)$/.test(written)
  )
}

function list(value: unknown): ScriptNode[] {
  return Array.isArray(value) ? value.filter(isScriptNode) : []
}
