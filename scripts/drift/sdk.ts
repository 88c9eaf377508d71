/**
 * An official package, read with TypeScript's own compiler: which requests it can make, with which fields,
 * and which words its types allow. Nothing of it is run.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Where an official package keeps what is compared. */
export interface SdkLayout {
  /** Its name in the registry. */
  readonly package: string
  /** Imports that the type expressions of the comparison use, as TypeScript. */
  readonly imports: string
  /** Files with the calls, as patterns inside the package: JavaScript, or TypeScript where it ships its sources. */
  readonly calls: readonly string[]
  /** Declarations of the functions that make the calls, as patterns inside the package; none for TypeScript sources. */
  readonly declarations?: readonly string[]
  /** Paths without a slash before them are paths, too, where this object is asked. */
  readonly client?: RegExp
}

/** One request that the package can make. */
export interface Operation {
  readonly method: string
  /** Ids are written `{}`. */
  readonly path: string
  /** The types of what its function is given. */
  readonly takes: readonly Taken[]
  /** What its function gives, once it has come. */
  readonly gives: readonly ts.Type[]
}

export interface Taken {
  readonly name: string
  readonly type: ts.Type
}

/** An official package as it is compared. */
export interface Sdk {
  readonly version: string
  readonly operations: readonly Operation[]
  /**
   * The words that a type allows; null where there is no such type, or it allows any text.
   * @param expression TypeScript, by the names of `imports`
   */
  wordsOf(expression: string): readonly string[] | null
  readonly checker: ts.TypeChecker
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
}

/** Reads the package that is installed in `folder`. `expressions` are the types that are going to be asked for. */
export function openSdk(folder: string, layout: SdkLayout, expressions: readonly string[]): Sdk {
  const place = join(folder, 'node_modules', layout.package)
  const { version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { version: string }
  const calls = filesOf(place, layout.calls)
  const isTyped = layout.declarations === undefined
  const declarations = filesOf(place, layout.declarations ?? [])
  const questions = join(folder, 'questions.ts')
  const text = [
    layout.imports,
    ...expressions.map((expression, i) => `export type Asked${i} = ${expression}`),
  ].join('\n')
  const program = programOf([questions, ...(isTyped ? calls : declarations)], questions, text)
  const checker = program.getTypeChecker()
  const callers = isTyped
    ? program
    : ts.createProgram(calls, { ...options, allowJs: true, noResolve: true, noLib: true })
  const declared = isTyped ? null : declaredIn(program, declarations)
  const asked = typesIn(program, questions)
  return {
    version,
    checker,
    operations: calls.flatMap((file) => {
      const source = callers.getSourceFile(file)
      if (source === undefined) return []
      const found = callsIn(source, callers.getTypeChecker(), layout.client)
      return found.map(({ method, path, maker }) => ({
        method,
        path,
        ...signaturesOf(declared === null ? [maker.node] : declared(maker.name, file), checker),
      }))
    }),
    wordsOf: (expression) => {
      const type = asked.get(`Asked${expressions.indexOf(expression)}`)
      return type === undefined ? null : wordsIn(checker.getTypeFromTypeNode(type))
    },
  }
}

function filesOf(place: string, patterns: readonly string[]): string[] {
  return patterns.length === 0 ? [] : ts.sys.readDirectory(place, undefined, undefined, patterns)
}

/** A program with one file more, which is nowhere on the disk. */
function programOf(files: readonly string[], extra: string, text: string): ts.Program {
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (file) => file === extra || fileExists(file)
  host.readFile = (file) => (file === extra ? text : readFile(file))
  host.getSourceFile = (file, ...rest) =>
    file === extra ? ts.createSourceFile(file, text, options.target!, true) : getSourceFile(file, ...rest)
  return ts.createProgram(files, options, host)
}

function typesIn(program: ts.Program, file: string): Map<string, ts.TypeNode> {
  const types = new Map<string, ts.TypeNode>()
  program.getSourceFile(file)?.forEachChild((node) => {
    if (ts.isTypeAliasDeclaration(node)) types.set(node.name.text, node.type)
  })
  return types
}

/** The words of a union; an open one, whose type allows any further text, has those that it names. */
function wordsIn(type: ts.Type): string[] | null {
  const parts = type.isUnion() ? type.types : [type]
  const words = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []))
  return words.length === 0 ? null : words
}

interface Maker {
  /** `Class.method`, `function`, or `resource.method`. */
  readonly name: string
  readonly node: ts.Node
}

interface Call {
  readonly method: string
  readonly path: string
  readonly maker: Maker
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
const verbs: ReadonlyMap<string, string> = new Map([
  ...['get', 'page', 'iterate', 'getAPIList'].map((name) => [name, 'GET'] as const),
  ...['post', 'put', 'patch', 'delete'].map((name) => [name, name.toUpperCase()] as const),
])

/**
 * Every request that a file makes: `('POST', path)`, `client.post(path)`, `{ method, path }`, `new
 * List(client, path)` and `['name', 'POST', '/path', '/more', hasId]`, as the generators of the official
 * packages write them.
 */
function callsIn(source: ts.SourceFile, checker: ts.TypeChecker, client: RegExp | undefined): Call[] {
  const calls: Call[] = []
  const exported = exportedNames(source)
  const add = (node: ts.Node, method: string | null, path: string | null, name?: string): void => {
    if (method === null || path === null || !methods.has(method)) return
    const maker = makerOf(node)
    calls.push({
      method,
      path: tidy(path),
      maker: { ...maker, name: name ?? exportedAs(maker.name, source, exported) },
    })
  }
  const text = (node: ts.Node | undefined): string | null => (node ? textOf(node, checker) : null)
  const pathIn = (node: ts.Node | undefined, isClient: boolean): string | null => {
    const path = text(node)
    if (path === null) return null
    return path.startsWith('/') ? path : isClient && /^[\w{}/-]+$/.test(path) ? `/${path}` : null
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const { expression: callee, arguments: given } = node
      const [first, second] = given
      if (ts.isPropertyAccessExpression(callee)) {
        const isClient = client?.test(callee.expression.getText(source)) ?? false
        add(node, verbs.get(callee.name.text) ?? null, pathIn(first, isClient))
      }
      if (first !== undefined && ts.isStringLiteral(first)) add(node, first.text, pathIn(second, false))
    }
    // `createRequest('GET')` is followed by its path in a statement of its own.
    if (ts.isTaggedTemplateExpression(node)) add(node, methodBeside(node), pathIn(node, false))
    if (ts.isNewExpression(node)) add(node, 'GET', pathIn(node.arguments?.[1], false))
    if (ts.isObjectLiteralExpression(node)) {
      const path = propertyOf(node, 'path')
      if (path !== undefined) add(node, text(propertyOf(node, 'method')) ?? 'GET', pathIn(path, false))
    }
    if (ts.isArrayLiteralExpression(node)) {
      const [name, method, path, more, hasId] = node.elements
      const [begun, rest] = [pathIn(path, false), text(more)]
      if (begun !== null && hasId !== undefined) {
        const id = hasId.kind === ts.SyntaxKind.TrueKeyword ? '/{}' : ''
        const resource = ts.isPropertyAssignment(node.parent.parent)
          ? node.parent.parent.name.getText(source)
          : ''
        add(node, text(method), `${begun}${id}${rest ?? ''}`, `${resource}.${text(name) ?? ''}`)
      }
    }
    node.forEachChild(visit)
  }
  visit(source)
  return calls
}

/** Names by which a file exports its functions, where a bundler has shortened their own. */
function exportedNames(source: ts.SourceFile): ReadonlyMap<string, string> {
  const names = source.statements.flatMap((node) =>
    ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)
      ? node.exportClause.elements.map(
          ({ name, propertyName = name }) => [propertyName.text, name.text] as const,
        )
      : [],
  )
  return new Map(names)
}

/** The name by which a function is exported; of one that only other functions of its file call, the name of the first. */
function exportedAs(name: string, source: ts.SourceFile, exported: ReadonlyMap<string, string>): string {
  const own = exported.get(name)
  if (own !== undefined || exported.size === 0) return own ?? name
  let found = name
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name)
      found = exported.get(makerOf(node).name) ?? found
    node.forEachChild(visit)
  }
  visit(source)
  return found
}

/** The method that a call of the same function names alone. */
function methodBeside(node: ts.Node): string | null {
  let method: string | null = null
  const visit = (at: ts.Node): void => {
    const [only, ...more] = ts.isCallExpression(at) ? at.arguments : []
    if (more.length === 0 && only !== undefined && ts.isStringLiteral(only) && methods.has(only.text))
      method = only.text
    at.forEachChild(visit)
  }
  visit(makerOf(node).node)
  return method
}

export function propertyOf(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of node.properties) {
    if (property.name === undefined || property.name.getText() !== name) continue
    if (ts.isPropertyAssignment(property)) return property.initializer
    if (ts.isShorthandPropertyAssignment(property)) return property.name
  }
  return undefined
}

// What is added behind the last step of a path, without a slash, is a query.
function tidy(path: string): string {
  return path.replace(/\{\w*\}/g, '{}').replace(/(?<!\/)\{\}/g, '')
}

/** The text of an expression, as far as it is written in the file; what comes from outside is `{}` within a text. */
export function textOf(node: ts.Node, checker: ts.TypeChecker, depth = 0): string | null {
  if (depth > 12) return null
  const inner = (other: ts.Node): string | null => textOf(other, checker, depth + 1)
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return [
      node.head.text,
      ...node.templateSpans.map((span) => `${inner(span.expression) ?? '{}'}${span.literal.text}`),
    ].join('')
  if (ts.isTaggedTemplateExpression(node)) return inner(node.template)
  if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node) || ts.isAsExpression(node))
    return inner(node.expression)
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const left = inner(node.left)
    return left === null ? null : `${left}${inner(node.right) ?? '{}'}`
  }
  if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) return writtenAt(node, checker, inner)
  if (ts.isNewExpression(node)) return node.arguments?.[0] ? inner(node.arguments[0]) : null
  if (ts.isCallExpression(node)) {
    const { expression: callee } = node
    const made = ts.isIdentifier(callee) ? returnedBy(callee, checker) : undefined
    const through = ts.isPropertyAccessExpression(callee) ? callee.expression : callee
    for (const other of [made, node.arguments[0], through]) {
      const path = other === undefined || ts.isIdentifier(other) ? null : inner(other)
      if (path !== null) return path
    }
  }
  return null
}

function writtenAt(
  node: ts.Identifier | ts.PropertyAccessExpression,
  checker: ts.TypeChecker,
  inner: (node: ts.Node) => string | null,
): string | null {
  const written = checker.getSymbolAtLocation(ts.isIdentifier(node) ? node : node.name)?.valueDeclaration
  if (written === undefined) return null
  if (ts.isShorthandPropertyAssignment(written)) return null
  const isWritten = ts.isVariableDeclaration(written) || ts.isPropertyAssignment(written)
  return isWritten && written.initializer ? inner(written.initializer) : null
}

function returnedBy(callee: ts.Identifier, checker: ts.TypeChecker): ts.Expression | undefined {
  const made = checker.getSymbolAtLocation(callee)?.valueDeclaration
  const body = made && ts.isFunctionDeclaration(made) ? made.body : undefined
  const last = body?.statements.at(-1)
  return last && ts.isReturnStatement(last) ? last.expression : undefined
}

/** The outermost function around a call, by the name under which others call it. */
function makerOf(node: ts.Node): Maker {
  let maker: Maker = { name: '', node }
  for (let at = node; at !== undefined && !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionDeclaration(at) && at.name) maker = { name: at.name.text, node: at }
    if (ts.isVariableDeclaration(at) && at.initializer && ts.isFunctionLike(at.initializer))
      maker = { name: at.name.getText(), node: at.initializer }
    if (ts.isMethodDeclaration(at) && ts.isClassLike(at.parent))
      maker = { name: `${at.parent.name?.text ?? ''}.${at.name.getText()}`, node: at }
  }
  return maker
}

/** Finds what a function takes, by its name: as it is declared, or as the package's entry exports it. */
function declaredIn(program: ts.Program, files: readonly string[]) {
  const nodes = new Map<string, ts.Node[]>()
  const add = (name: string, node: ts.Node): void => void nodes.set(name, [...(nodes.get(name) ?? []), node])
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name) add(node.name.text, node)
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) add(node.name.text, node)
    if (ts.isMethodDeclaration(node) && ts.isClassLike(node.parent))
      add(`${node.parent.name?.text ?? ''}.${node.name.getText()}`, node)
    node.forEachChild(visit)
  }
  for (const file of files) program.getSourceFile(file)?.forEachChild(visit)
  return (name: string, file: string): ts.Node[] => {
    const found = nodes.get(name) ?? nodes.get(resourceName(name)) ?? []
    // Several may have one name; each is declared in a file that is called as its own.
    const beside = found.filter((node) => moduleOf(node.getSourceFile().fileName) === moduleOf(file))
    return beside.length > 0 ? beside : found
  }
}

/** The folder and the name of a file, without its endings: `Checkout/Sessions`. */
function moduleOf(file: string): string {
  return file
    .replace(/(?:\.d)?\.[cm]?[jt]s$/, '')
    .split('/')
    .slice(-2)
    .join('/')
}

// `hostedPage.checkoutNewForItems` is declared in the class `HostedPageResource`.
function resourceName(name: string): string {
  return name.replace(
    /^(\w)(\w*)\./,
    (_, first: string, rest: string) => `${first.toUpperCase()}${rest}Resource.`,
  )
}

// How a request is made, and not what is asked: some of them take any body.
const besides: ReadonlySet<string> = new Set(['client', 'options', 'requestOptions', 'headers', 'callback'])

/** What functions take and give; of one that makes another one, what that takes and gives. */
function signaturesOf(
  nodes: readonly ts.Node[],
  checker: ts.TypeChecker,
): Pick<Operation, 'takes' | 'gives'> {
  const all = nodes.flatMap((node) => [...checker.getTypeAtLocation(node).getCallSignatures()])
  const inner = all.flatMap((signature) => [...signature.getReturnType().getCallSignatures()])
  const takes = [...all, ...inner]
    .flatMap((signature) => [...signature.getParameters()])
    .filter(({ name }) => !besides.has(name))
    .map((symbol) => ({ name: symbol.name, type: checker.getTypeOfSymbol(symbol) }))
  const gives = (inner.length > 0 ? inner : all).flatMap((signature) => {
    const type = checker.getAwaitedType(signature.getReturnType())
    return type === undefined || type.flags & ts.TypeFlags.Void ? [] : [type]
  })
  return { takes, gives }
}
