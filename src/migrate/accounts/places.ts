import type { Edit } from '../edits.ts'
import type { Source } from '../source.ts'
import { fieldName, fieldsOf } from './fields.ts'
import { readJson } from './json-tree.ts'
import { type DataMap, type DataNode, type Entry, findEntry } from './tree.ts'
import { readYaml } from './yaml-tree.ts'

/** A field of an account in any format: text, JSON or YAML. */
export interface Place {
  /** Normalised name. */
  readonly name: string
  /** Name in the file's format: `shop_data` in a text, `shopData` in JSON. */
  readonly label: string
  /** Offset of the field. */
  readonly at: number
  /** Text of the field, checked before it is parsed; null for data in the file's own format. */
  readonly written: string | null
  /** Parses the field's value; null when that fails. */
  data(): DataNode | null
  /** Text that the data's offsets refer to. */
  readonly text: string
  /**
   * Converts an edit of `text` to an edit of the source; null if the bytes cannot be determined. `word` is
   * the text that the edit replaces.
   */
  toSource(edit: Edit, word: string): Edit | null
}

/** Lists the fields of every account in a content file; null when the file cannot be parsed. */
export function placesOf({ file, text }: Pick<Source, 'file' | 'text'>): Place[] | null {
  if (/\.txt$/i.test(file)) return fieldsOf(text).map((field) => textPlace(text, field))
  const bom = text.startsWith('\ufeff') ? 1 : 0
  const body = text.slice(bom)
  const root = /\.json$/i.test(file) ? readJson(body) : readYaml(body)
  return (
    root &&
    accountsIn(root).flatMap((account) => lastOfEach(account).map((entry) => toPlace(body, bom, entry)))
  )
}

/** Wraps a text that is the value of one field. */
export function loneValue(name: string, text: string): Place {
  const start = text.search(/[^\s\ufeff]/)
  const value = text.trim()
  return textPlace(text, { name: fieldName(name), at: 0, start, end: start + value.length, value })
}

/** Parses a single value: JSON if it looks like it, else YAML. */
export function readValue(text: string): DataNode | null {
  return (text.startsWith('{') || text.startsWith('[') ? readJson(text) : null) ?? readYaml(text)
}

function textPlace(source: string, field: ReturnType<typeof fieldsOf>[number]): Place {
  return {
    name: field.name,
    label: field.name,
    at: field.at,
    written: field.value,
    text: field.value,
    data: () => readValue(field.value),
    toSource: (edit, word) =>
      moved(edit, word, {
        decoded: field.value,
        raw: source.slice(field.start, field.end),
        start: field.start,
      }),
  }
}

// A file is one account or a list of them; an account may keep its fields under `content`.
function accountsIn(root: DataNode): DataMap[] {
  const maps = root.kind === 'list' ? root.items.map((item) => item()) : [root]
  return maps.filter(isDataMap).flatMap((map) => {
    const content = findEntry(map, (key) => fieldName(key) === 'content')?.node()
    return content?.kind === 'map' ? [map, content] : [map]
  })
}

function isDataMap(node: DataNode): node is DataMap {
  return node.kind === 'map'
}

function lastOfEach(map: DataMap): Entry[] {
  return [...new Map(map.entries.map((entry) => [fieldName(entry.key), entry])).values()]
}

function toPlace(body: string, bom: number, entry: Entry): Place {
  const node = entry.node()
  const base = { name: fieldName(entry.key), label: entry.key, at: entry.start + bom }
  if (node.kind !== 'string')
    return {
      ...base,
      written: null,
      text: body,
      data: () => node,
      toSource: ({ start, end, text }) => ({ start: start + bom, end: end + bom, text }),
    }
  // As in the text format, a string may itself be a document.
  return {
    ...base,
    written: node.value,
    text: node.value,
    data: () => readValue(node.value),
    toSource: (edit, word) =>
      moved(edit, word, {
        decoded: node.value,
        raw: body.slice(node.start, node.end),
        start: node.start + bom,
      }),
  }
}

// Values written with escapes are located by counting: an escape that adds or hides an occurrence changes the
// count.
function moved(
  edit: Edit,
  word: string,
  { decoded, raw, start }: { decoded: string; raw: string; start: number },
): Edit | null {
  if (raw === decoded) return { start: edit.start + start, end: edit.end + start, text: edit.text }
  if (decoded.slice(edit.start, edit.end) !== word) return null
  const [wanted, there] = [occurrences(decoded, word), occurrences(raw, word)]
  const at = there[wanted.indexOf(edit.start)]
  if (wanted.length !== there.length || at === undefined) return null
  return { start: start + at, end: start + at + word.length, text: edit.text }
}

function occurrences(text: string, word: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) places.push(at)
  return places
}
