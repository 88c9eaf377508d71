import { applyEdits as applyJson, modify, parse } from 'jsonc-parser'
import { parseDocument } from 'yaml'
import { fieldName, fieldsOf } from '../accounts/fields.ts'
import type { Stored } from '../prove/rules.ts'

/** Changes to the provider's data of an account. */
export interface DataChange {
  /** Set only if the account names no customer. */
  readonly customer: string | null
  /** New and updated subscriptions, by id. */
  readonly subscriptions: readonly Stored[]
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** The day, for lists that store one with each price. */
  readonly day: string
}

/** Account in a file: the `index`th of a list, or the only one. */
export interface Where {
  readonly file: string
  readonly index: number
  readonly field: string
}

/**
 * Returns the text of an account's file with the changed provider's field, and everything else unchanged;
 * null for an unsupported form.
 */
export function withData(text: string, where: Where, change: DataChange): string | null {
  if (/\.txt$/i.test(where.file)) return inTextFormat(text, where, change)
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(mark.length)
  const tree = /\.json$/i.test(where.file) ? jsonTree(body) : yamlTree(body)
  if (tree === null) return null
  const root = tree.plain()
  const path: Path = Array.isArray(root) ? [where.index] : []
  const account = Array.isArray(root) ? root[where.index] : root
  if (!isMap(account)) return null
  const own = keyOf(account, where.field)
  const content = isMap(account.content) ? account.content : null
  const base = own === undefined && content !== null ? [...path, 'content'] : path
  const key = own ?? (content === null ? undefined : keyOf(content, where.field)) ?? where.field
  const value = (own === undefined && content !== null ? content : account)[key]
  if (typeof value === 'string' && value.trim() !== '') {
    const written = withValue(value, change)
    if (written === null) return null
    tree.set([...base, key], written)
  } else {
    if (value !== undefined && value !== null && value !== '' && !isMap(value)) return null
    if (!isMap(value)) tree.set([...base, key], {})
    changeIn(tree, [...base, key], isMap(value) ? value : {}, change)
  }
  return mark + tree.text()
}

function inTextFormat(text: string, { field }: Where, change: DataChange): string | null {
  const found = fieldsOf(text).findLast(({ name }) => name === fieldName(field))
  const value = withValue(found?.value ?? '', change)
  if (value === null) return null
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const written = value.trimEnd().replace(/^----/gm, '\\----').replace(/\r?\n/g, eol)
  // A value of several lines begins on its own line.
  if (found && found.end > found.start) {
    const isBelow = /\n\s*$/.test(text.slice(found.at, found.start))
    return text.slice(0, found.start) + (isBelow ? '' : eol + eol) + written + text.slice(found.end)
  }
  const name = `${field.charAt(0).toUpperCase()}${field.slice(1)}`
  if (found)
    return `${text.slice(0, found.start).trimEnd()}${eol}${eol}${written}${eol}${text.slice(found.end)}`
  const before = text.trimEnd()
  const divider = before === '' ? '' : `${before}${eol}${eol}----${eol}${eol}`
  return `${divider}${name}:${eol}${eol}${written}${eol}`
}

/** Returns a value that is a document itself, with the change; null for an unsupported form. */
export function withValue(value: string, change: DataChange): string | null {
  const tree = value.trimStart().startsWith('{') ? jsonTree(value) : yamlTree(value)
  const data = tree?.plain() ?? {}
  if (tree === null || !isMap(data)) return null
  changeIn(tree, [], data, change)
  return tree.text()
}

function changeIn(tree: Tree, base: Path, data: Map, change: DataChange): void {
  if (change.customer !== null) tree.set([...base, 'customer'], change.customer)
  if (change.subscriptions.length > 0) changeSubscriptions(tree, base, data.subscriptions, change)
  if (change.add.length + change.remove.length > 0) changePurchases(tree, base, data.purchases, change)
}

/** Handles a list, the provider's own list object, or a map by id. */
function changeSubscriptions(tree: Tree, base: Path, kept: unknown, { subscriptions }: DataChange): void {
  const path = [...base, 'subscriptions']
  if (isMap(kept) && !Array.isArray(kept.data)) {
    for (const subscription of subscriptions) tree.set([...path, String(subscription.id)], subscription)
    return
  }
  const list = Array.isArray(kept) ? kept : isMap(kept) ? (kept.data as unknown[]) : []
  const place = isMap(kept) ? [...path, 'data'] : path
  if (!Array.isArray(kept) && !isMap(kept)) tree.set(place, [])
  let end = list.length
  for (const subscription of subscriptions) {
    const at = list.findIndex((other) => isMap(other) && other.id === subscription.id)
    tree.set([...place, at === -1 ? end++ : at], subscription)
  }
}

function changePurchases(tree: Tree, base: Path, kept: unknown, { add, remove, day }: DataChange): void {
  const path = [...base, 'purchases']
  if (isMap(kept)) {
    for (const price of remove) tree.remove([...path, price])
    for (const price of add) tree.set([...path, price], day)
    return
  }
  const list = Array.isArray(kept) ? kept : []
  if (!Array.isArray(kept)) tree.set(path, [])
  const removed = list.flatMap((item, i) => (remove.includes(String(priceOf(item))) ? [i] : [])).reverse()
  for (const i of removed) tree.remove([...path, i])
  const end = list.length - removed.length
  const model = list.find(isMap)
  const key = ['price_id', 'priceId', 'price'].find((name) => model !== undefined && name in model)
  for (const [i, price] of add.entries())
    tree.set([...path, end + i], key === undefined ? price : { [key]: price, status: 'paid' })
}

function priceOf(entry: unknown): unknown {
  if (!isMap(entry)) return typeof entry === 'string' ? entry.trim() : null
  const price = entry.price_id ?? entry.priceId ?? entry.price
  return isMap(price) ? price.id : price
}

type Path = readonly (string | number)[]
type Map = Readonly<Record<string, unknown>>

/** A document that can be changed in places, keeping its comments and order. */
interface Tree {
  plain(): unknown
  set(path: Path, value: unknown): void
  remove(path: Path): void
  text(): string
}

function jsonTree(start: string): Tree | null {
  let text = start
  const indent = /\n([ \t]+)"/.exec(start)?.[1]
  const formattingOptions = {
    insertSpaces: indent?.[0] !== '\t',
    tabSize: indent?.length ?? 2,
    eol: start.includes('\r\n') ? '\r\n' : '\n',
    // Data on one line stays on one line.
    keepLines: indent === undefined,
  }
  const options = indent === undefined ? {} : { formattingOptions }
  const change = (path: Path, value: unknown) => {
    text = applyJson(text, modify(text, [...path], value, options))
  }
  return {
    plain: () => parse(text, [], { allowTrailingComma: true }) as unknown,
    set: change,
    remove: (path) => change(path, undefined),
    text: () => text,
  }
}

function yamlTree(start: string): Tree | null {
  const document = parseDocument(start, { strict: false, uniqueKeys: false })
  if (document.errors.length > 0) return null
  return {
    plain: () => document.toJS() as unknown,
    set: (path, value) => document.setIn(path, document.createNode(value)),
    remove: (path) => void document.deleteIn(path),
    text: () => document.toString({ lineWidth: 0 }),
  }
}

function keyOf(map: Map, field: string): string | undefined {
  return Object.keys(map).findLast((key) => fieldName(key) === fieldName(field))
}

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
