import type { Edit } from '../../migrate/edits.ts'
import { indentAt, lineEnd, lineStart, newlineOf } from '../../migrate/lines.ts'
import { isScriptNode, parseScript, type ScriptNode, walkScript } from '../../migrate/script.ts'

/** A call that makes the application of a host: `new Koa()`, `express()`, `NestFactory.create()`. */
export interface Maker {
  readonly package: string
  /** Exported names that make it; `default` stands for the default export and for `require()` itself. */
  readonly names: readonly string[]
  /** A method of that export, if it makes the application. */
  readonly method?: string
}

/** The place in a file where an application is made. */
export interface AppPlace {
  readonly file: string
  readonly text: string
  /** The variable that holds it. */
  readonly name: string
  readonly program: ScriptNode
  /** The statement that makes it, and those after it in the same block. */
  readonly statement: ScriptNode
  readonly following: readonly ScriptNode[]
}

/** Finds where a file makes an application. Nothing is executed. */
export function appsIn(file: string, text: string, maker: Maker): AppPlace[] {
  if (!text.includes(maker.package)) return []
  const program = parseScript(text, file)
  if (program === null) return []
  const locals = localsOf(program, maker)
  const found: AppPlace[] = []
  walkScript(program, (node, parents) => {
    if (node.type !== 'VariableDeclarator' || !isMade(node.init, locals, maker)) return
    const { id } = node as unknown as { id: ScriptNode }
    const block = parents.findLast((parent) => Array.isArray(parent.body))
    const body = (block?.body ?? []) as readonly ScriptNode[]
    const at = body.findIndex(({ start, end }) => start <= node.start && node.end <= end)
    if (id.type !== 'Identifier' || at === -1) return
    found.push({
      file,
      text,
      program,
      name: id.name as string,
      statement: body[at]!,
      following: body.slice(at + 1),
    })
  })
  return found
}

/** Returns the local names of what makes an application. */
function localsOf(program: ScriptNode, { package: name, names }: Maker): Set<string> {
  const locals = new Set<string>()
  const isWanted = (exported: unknown) => names.includes(String(exported))
  walkScript(program, (node) => {
    if (node.type === 'ImportDeclaration' && stringOf(node.source) === name)
      for (const specifier of node.specifiers as readonly ScriptNode[]) {
        const imported = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : 'default'
        if (isWanted(imported)) locals.add(nameOf(specifier.local))
      }
    if (node.type === 'TSImportEqualsDeclaration' && isWanted('default')) {
      const reference = node.moduleReference as ScriptNode
      if (stringOf(reference.expression) === name) locals.add(nameOf(node.id))
    }
    if (node.type !== 'VariableDeclarator' || !isRequireOf(node.init, name)) return
    const id = node.id as ScriptNode
    if (id.type === 'Identifier' && isWanted('default')) locals.add(nameOf(id))
    if (id.type === 'ObjectPattern')
      for (const property of id.properties as readonly ScriptNode[])
        if (isWanted(nameOf(property.key))) locals.add(nameOf(property.value))
  })
  return locals
}

function isMade(given: unknown, locals: ReadonlySet<string>, { package: name, method }: Maker): boolean {
  const made = isScriptNode(given) && given.type === 'AwaitExpression' ? given.argument : given
  if (!isScriptNode(made) || (made.type !== 'NewExpression' && made.type !== 'CallExpression')) return false
  const callee = made.callee as ScriptNode
  if (method !== undefined)
    return (
      callee.type === 'MemberExpression' &&
      nameOf(callee.property) === method &&
      locals.has(nameOf(callee.object))
    )
  return isRequireOf(callee, name) || (callee.type === 'Identifier' && locals.has(nameOf(callee)))
}

function isRequireOf(node: unknown, name: string): boolean {
  return (
    isScriptNode(node) &&
    node.type === 'CallExpression' &&
    nameOf(node.callee) === 'require' &&
    stringOf((node.arguments as readonly ScriptNode[])[0]) === name
  )
}

/** Returns the name of an identifier or the text of a string; empty for everything else. */
export function nameOf(node: unknown): string {
  return isScriptNode(node) ? String(node.type === 'Identifier' ? node.name : (node.value ?? '')) : ''
}

function stringOf(node: unknown): unknown {
  return isScriptNode(node) ? node.value : undefined
}

/**
 * Returns the statement below which membership is mounted: what makes the application, or the sessions that
 * `identify` reads, if they stand above every body parser and route.
 */
export function mountBelow({ text, name, statement, following }: AppPlace): ScriptNode {
  let place = statement
  for (const next of following) {
    const used = usedBy(next, name)
    if (used === null) continue
    const callee = used.type === 'CallExpression' ? textOf(text, used.callee as ScriptNode) : ''
    if (used.type === 'route' || isBodyParser.test(callee)) return place
    if (isSession.test(callee)) place = next
  }
  return place
}

const isBodyParser = /^express\.(?:json|urlencoded|raw|text)$|body-?parser|koa-?body|^multer/i
const isSession = /session|^passport\.|^clerk/i
const usesOrder = new Set(['use', 'register'])
const routes = new Set(['get', 'post', 'put', 'patch', 'delete', 'all', 'route'])

/** Returns what a statement such as `app.use(…)` mounts; `route` for a route, null for everything else. */
function usedBy(statement: ScriptNode, app: string): ScriptNode | { readonly type: 'route' } | null {
  const call = (statement.type === 'ExpressionStatement' ? statement.expression : null) as ScriptNode | null
  if (call?.type !== 'CallExpression') return null
  const callee = call.callee as ScriptNode
  if (callee.type !== 'MemberExpression' || nameOf(callee.object) !== app) return null
  const method = nameOf(callee.property)
  if (routes.has(method)) return { type: 'route' }
  const [first, second] = call.arguments as readonly ScriptNode[]
  if (!usesOrder.has(method) || first === undefined) return null
  // A path comes first: app.use('/', indexRouter)
  return first.type === 'StringLiteral' ? (second ?? null) : first
}

function textOf(text: string, { start, end }: ScriptNode): string {
  return text.slice(start, end)
}

/** Returns the edit that adds lines of code below a statement; null if other code stands on its last line. */
export function linesBelow(text: string, { start, end }: ScriptNode, added: readonly string[]): Edit | null {
  const at = lineEnd(text, end)
  if (!/^\s*(?:\/\/.*|\/\*.*\*\/\s*)?$/.test(text.slice(end, at))) return null
  const [newline, indent] = [newlineOf(text), indentAt(text, start)]
  return { start: at, end: at, text: added.map((line) => `${newline}${indent}${line}`).join('') }
}

/** Returns the edit that adds lines of code above a statement. */
export function linesAbove(text: string, { start }: ScriptNode, added: readonly string[]): Edit {
  const at = lineStart(text, start)
  const [newline, indent] = [newlineOf(text), indentAt(text, start)]
  return { start: at, end: at, text: added.map((line) => `${indent}${line}${newline}`).join('') }
}

/** Returns the edit that imports something: below the last import or `require()`, else above everything. */
export function importEdit(text: string, program: ScriptNode, before: number, line: string): Edit | null {
  const body = program.body as readonly ScriptNode[]
  const last = body.findLast((node) => node.end <= before && isImport(node))
  if (last !== undefined) return linesBelow(text, last, line.split('\n'))
  const first = body.find((node) => node.end >= before || node.type !== 'ImportDeclaration')
  return first === undefined ? null : linesAbove(text, first, line.split('\n'))
}

function isImport(node: ScriptNode): boolean {
  return (
    node.type === 'ImportDeclaration' ||
    node.type === 'TSImportEqualsDeclaration' ||
    (node.type === 'VariableDeclaration' &&
      (node.declarations as readonly ScriptNode[]).every(
        ({ init }) =>
          isScriptNode(init) && init.type === 'CallExpression' && nameOf(init.callee) === 'require',
      ))
  )
}

/** Writes a line in the manner of a file: its quotes, and semicolons where it has them. */
export function inStyle(text: string, statement: string, comment = ''): string {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const quoted = count(/"/g) > count(/'/g) ? statement.replaceAll("'", '"') : statement
  const ended = count(/;[ \t]*\r?$/gm) > 0 ? `${quoted};` : quoted
  return comment === '' ? ended : `${ended} // ${comment}`
}
