/** Requests of an adapter: as its tests made it send them, and as they stand in its source. */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { propertyOf, textOf } from './sdk.ts'

/** One request that an adapter makes. */
export interface Sent {
  /** `*` where the source names none, since a function of its own adds it. */
  readonly method: string
  /** With ids, or with `{}` for them. */
  readonly path: string
  readonly fields: readonly Field[]
  /** It stands in the source; nobody saw it sent. */
  readonly isWritten?: true
}

/** A field of a query or a body, with a value that it was sent with. */
export interface Field {
  readonly place: 'query' | 'body'
  /** Its name, and before it the names of what it stands in; lists have no step of their own. */
  readonly steps: readonly string[]
  /** Absent where only the source names it. A form's value is a text, whatever it means. */
  readonly value?: unknown
  readonly isForm: boolean
}

/** What a fake server answered to an adapter. */
export interface Answer {
  readonly method: string
  readonly path: string
  readonly shown: unknown
}

interface Recorded {
  readonly key: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
  readonly answer?: string
}

function linesOf(file: string, key: string): Recorded[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded)
    .filter((line) => line.key === key)
}

/** The answers to one adapter in the file that `record.mjs` wrote. */
export function answersIn(file: string, key: string): Answer[] {
  return linesOf(file, key).flatMap(({ method, path, answer }) =>
    answer === undefined ? [] : [{ method, path, shown: JSON.parse(answer) as unknown }],
  )
}

/** The requests of one adapter in the file that `record.mjs` wrote. */
export function recordedIn(file: string, key: string): Sent[] {
  return linesOf(file, key)
    .filter(({ answer }) => answer === undefined)
    .map(({ method, path, query, body }) => ({
      method,
      path,
      fields: [...formOf(query, 'query'), ...bodyOf(body)],
    }))
}

function bodyOf(body: string): Field[] {
  if (!/^\s*[[{]/.test(body)) return formOf(body, 'body')
  return fieldsOf(JSON.parse(body), [])
}

function fieldsOf(value: unknown, steps: readonly string[]): Field[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, steps))
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const own = steps.length === 0 ? [] : [{ place: 'body' as const, steps, value, isForm: false }]
  return [...own, ...inner.flatMap(([name, item]) => fieldsOf(item, [...steps, name]))]
}

/** `items[0][price]` is the field `price` in the list `items`. */
function formOf(text: string, place: Field['place']): Field[] {
  return [...new URLSearchParams(text)].map(([name, value]) => ({
    place,
    steps: stepsOf(name),
    value,
    isForm: true,
  }))
}

function stepsOf(name: string): string[] {
  return name.split(/[[\]]+/).filter((step) => step !== '' && !/^\d+$/.test(step))
}

/**
 * Requests that stand in an adapter's source with their whole path, each with the names that its body and
 * query have by their types: what no test makes it send is compared, too.
 */
export function writtenIn(files: readonly string[]): Sent[] {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  })
  const checker = program.getTypeChecker()
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)
    return source === undefined ? [] : requestsIn(source, checker)
  })
}

function requestsIn(source: ts.SourceFile, checker: ts.TypeChecker): Sent[] {
  const sent: Sent[] = []
  const pathIn = (node: ts.Node | undefined): string | null => {
    const [path = ''] = ((node && textOf(node, checker)) ?? '').split('?')
    // A step that is made of several texts says nothing; what begins with our own name is a page of the site.
    return /^\/(?!membership|custom_id)[\w-]+(?:\/(?:[\w-]+|\{\}))*\/?$/.test(path) ? path : null
  }
  const namesOf = (place: Field['place'], node: ts.Node | undefined): Field[] =>
    node === undefined
      ? []
      : checker
          .getTypeAtLocation(node)
          .getProperties()
          .filter(({ declarations = [] }) => declarations.some((it) => it.getSourceFile() === source))
          .map(({ name }) => ({ place, steps: stepsOf(name), isForm: true }))
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const path = pathIn(propertyOf(node, 'path'))
      const method = propertyOf(node, 'method')
      const fields = [
        ...namesOf('query', propertyOf(node, 'query')),
        ...namesOf('body', propertyOf(node, 'body')),
      ]
      const other = propertyOf(node, 'body') === undefined ? 'GET' : '*'
      if (path !== null)
        sent.push({ method: (method && textOf(method, checker)) ?? other, path, fields, isWritten: true })
    }
    // `api.all('the products', '/products', query)`
    if (ts.isCallExpression(node) && node.arguments.length > 1) {
      const [, second, third] = node.arguments
      const path = pathIn(second)
      const method = /\.(?:all|page|read)$/.test(node.expression.getText(source)) ? 'GET' : '*'
      if (path !== null) sent.push({ method, path, fields: namesOf('query', third), isWritten: true })
    }
    node.forEachChild(visit)
  }
  visit(source)
  return sent
}
