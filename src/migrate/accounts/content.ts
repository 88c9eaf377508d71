import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf } from '../find.ts'
import { isPhpNode, type PhpNode, parsePhp } from '../php.ts'
import { maxFileBytes, toSource } from '../source.ts'
import { fieldName, fieldsOf } from './fields.ts'
import type { AccountPlace } from './find-accounts.ts'
import { readJson } from './json-tree.ts'
import { fieldOf } from './rewrite.ts'
import { type DataNode, plainOf } from './tree.ts'
import { readYaml } from './yaml-tree.ts'

/** The raw fields of one account. Names are lower-case with `_`. */
export interface AccountContent {
  readonly id: string
  readonly fields: ReadonlyMap<string, unknown>
  readonly passwordLine: string | null
  /** Another field that looks like a provider's data. */
  readonly dataField: string | null
  /** Files that could not be read, with the reason. */
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[]
}

/** Reads the accounts of one place; a file may contain a list of them. Never throws for a file's contents. */
export function readContent(place: AccountPlace): AccountContent[] {
  return place.isFolder ? [readFolder(place)] : readFile(place)
}

function readFolder({ path }: AccountPlace): AccountContent {
  const fields = new Map<string, unknown>()
  const unreadable: { file: string; reason: string }[] = []
  let dataField: string | null = null
  // The account's own file has priority over the content, and the main content over its translations.
  const files = contentFiles(path)
  if (typeof files === 'string') unreadable.push({ file: basename(path), reason: files })
  for (const file of typeof files === 'string' ? [] : files) {
    const text = textOf(join(path, file))
    if (typeof text !== 'string') {
      unreadable.push({ file, reason: text.reason })
      continue
    }
    const found = fieldsIn(file, text)
    if (found === null) unreadable.push({ file, reason: 'it cannot be understood' })
    for (const [name, value] of found ?? []) if (!fields.has(name)) fields.set(name, value)
    dataField ??= fieldOf({ file, text })
  }
  const password = textOf(join(path, '.htpasswd'))
  if (typeof password !== 'string' && password.reason !== 'ENOENT')
    unreadable.push({ file: '.htpasswd', reason: password.reason })
  return {
    id: basename(path),
    fields,
    passwordLine: typeof password === 'string' ? password.trim() : null,
    dataField,
    unreadable,
  }
}

function readFile({ path, name }: AccountPlace): AccountContent[] {
  const id = basename(path).replace(/\.\w+$/, '')
  const failed = (reason: string): AccountContent[] => [
    { id, fields: new Map(), passwordLine: null, dataField: null, unreadable: [{ file: name, reason }] },
  ]
  const text = textOf(path)
  if (typeof text !== 'string') return failed(text.reason)
  const root = documentOf(path, text)
  if (root === null) return failed('it cannot be understood')
  const isList = root.kind === 'list'
  const dataField = fieldOf({ file: path, text })
  const maps = (isList ? root.items.map((item) => item()) : [root]).map(accountFields)
  return maps.map((fields, i) => {
    const own = fields.get('id')
    return {
      id: typeof own === 'string' || typeof own === 'number' ? String(own) : isList ? `${id}-${i + 1}` : id,
      fields,
      passwordLine: null,
      dataField,
      unreadable: [],
    }
  })
}

/** Returns the files with fields, or why the folder cannot be read. */
function contentFiles(path: string): string[] | string {
  const rank = (file: string) => (/^index\.php$/i.test(file) ? 0 : /^user\.\w+$/i.test(file) ? 1 : 2)
  try {
    return readdirSync(path)
      .filter((file) => /^(index\.php|user(\.\w+)?\.txt|(user|account|index)\.(json|ya?ml))$/i.test(file))
      .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  } catch (error) {
    return codeOf(error)
  }
}

/**
 * Reads the fields of a content text in the format that its name shows; null for text that cannot be parsed.
 */
export function fieldsIn(file: string, text: string): ReadonlyMap<string, unknown> | null {
  if (/\.php$/i.test(file)) return phpLiterals(text)
  if (/\.txt$/i.test(file)) return new Map(fieldsOf(text).map(({ name, value }) => [name, value]))
  const root = documentOf(file, text)
  return root && accountFields(root)
}

function documentOf(file: string, text: string): DataNode | null {
  const body = text.replace(/^\ufeff/, '')
  return /\.json$/i.test(file) ? readJson(body) : readYaml(body)
}

// Fields under `content` count as the account's own.
function accountFields(node: DataNode): Map<string, unknown> {
  const fields = new Map<string, unknown>()
  const plain = plainOf(node)
  for (const [key, value] of Object.entries(plain ?? {})) fields.set(fieldName(key), value)
  const content = fields.get('content')
  if (typeof content === 'object' && content !== null)
    for (const [key, value] of Object.entries(content))
      if (!fields.has(fieldName(key))) fields.set(fieldName(key), value)
  return fields
}

function textOf(path: string): string | { reason: string } {
  try {
    if (statSync(path).size > maxFileBytes)
      return { reason: `it is larger than ${maxFileBytes / 1024 / 1024} MB` }
    const source = toSource(path, readFileSync(path))
    return typeof source === 'string' ? { reason: `it is ${source}` } : source.text
  } catch (error) {
    return { reason: codeOf(error) }
  }
}

/**
 * Reads the literals of a PHP file that returns an array; computed values are `undefined`. Returns null for
 * any other file. Nothing is executed.
 */
function phpLiterals(text: string): Map<string, unknown> | null {
  const program = parsePhp(text)
  const body = program?.children
  const last = Array.isArray(body)
    ? body.findLast((node) => isPhpNode(node) && node.kind === 'return')
    : undefined
  if (!isPhpNode(last) || !isPhpNode(last.expr) || last.expr.kind !== 'array') return null
  return new Map(
    itemsOf(last.expr).flatMap(({ key, value }) => {
      const name = literalOf(key)
      return typeof name === 'string' ? [[name.toLowerCase(), literalOf(value)] as const] : []
    }),
  )
}

function itemsOf(array: PhpNode): { key: unknown; value: unknown }[] {
  return (Array.isArray(array.items) ? array.items : [])
    .filter((item) => isPhpNode(item) && item.kind === 'entry' && item.unpack !== true)
    .map((item: PhpNode) => ({ key: item.key, value: item.value }))
}

function literalOf(node: unknown): unknown {
  if (!isPhpNode(node)) return undefined
  if (node.kind === 'string' || node.kind === 'nowdoc') return String(node.value)
  if (node.kind === 'nullkeyword') return null
  if (node.kind !== 'array') return undefined
  return itemsOf(node).map(({ value }) => literalOf(value))
}
