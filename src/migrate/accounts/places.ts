import type { Edit } from '../edits.ts'
import type { Source } from '../source.ts'
import { fieldName, fieldsOf } from './fields.ts'
import { readJson } from './json-tree.ts'
import { type DataMap, type DataNode, type Entry, findEntry } from './tree.ts'
import { readYaml } from './yaml-tree.ts'

/** A field of an account, wherever it is written: the text format, JSON or YAML. */
export interface Place {
  /** As names are compared. */
  readonly name: string
  /** As the file's format has it: `shop_data` in a text, `shopData` in JSON. */
  readonly label: string
  /** The offset at which the field begins. */
  readonly at: number
  /** The text that the field holds, to be looked at before it is parsed; null for data of the file's own kind. */
  readonly written: string | null
  /** The field's value as data; null when it cannot be parsed. */
  data(): DataNode | null
  /** The text that the data's places are of. */
  readonly text: string
  /** An edit of `text` as an edit of the source; null where it cannot be said which bytes that are. `word` is what the
   *  edit replaces. */
  toSource(edit: Edit, word: string): Edit | null
}

/** The fields of every account in a content file; null when the file cannot be parsed. */
export const placesOf = ({ file, text }: Pick<Source, 'file' | 'text'>): Place[] | null => {
  if (/\.txt$/i.test(file)) return fieldsOf(text).map((field) => textPlace(text, field))
  const bom = text.startsWith('\ufeff') ? 1 : 0
  const body = text.slice(bom)
  const root = /\.json$/i.test(file) ? readJson(body) : readYaml(body)
  return (
    root &&
    accountsIn(root).flatMap((account) => lastOfEach(account).map((entry) => toPlace(body, bom, entry)))
  )
}

/** A text that is the value of one field, all by itself. */
export const loneValue = (name: string, text: string): Place => {
  const start = text.search(/[^\s\ufeff]/)
  const value = text.trim()
  return textPlace(text, { name: fieldName(name), at: 0, start, end: start + value.length, value })
}

/** A value that stands alone: JSON where it looks like it, else YAML. */
export const readValue = (text: string): DataNode | null =>
  (text.startsWith('{') || text.startsWith('[') ? readJson(text) : null) ?? readYaml(text)

const textPlace = (source: string, field: ReturnType<typeof fieldsOf>[number]): Place => ({
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
})

// A file is one account or a list of them; an account may keep its fields under `content`.
const accountsIn = (root: DataNode): DataMap[] => {
  const maps = root.kind === 'list' ? root.items.map((item) => item()) : [root]
  return maps.filter(isDataMap).flatMap((map) => {
    const content = findEntry(map, (key) => fieldName(key) === 'content')?.node()
    return content?.kind === 'map' ? [map, content] : [map]
  })
}

const isDataMap = (node: DataNode): node is DataMap => node.kind === 'map'

const lastOfEach = (map: DataMap): Entry[] => [
  ...new Map(map.entries.map((entry) => [fieldName(entry.key), entry])).values(),
]

const toPlace = (body: string, bom: number, entry: Entry): Place => {
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
  // The text format's way inside of another: a string that is itself a document.
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

// Values that are written with escapes are found by counting: no escape makes or hides one without
// the counts differing.
const moved = (
  edit: Edit,
  word: string,
  { decoded, raw, start }: { decoded: string; raw: string; start: number },
): Edit | null => {
  if (raw === decoded) return { start: edit.start + start, end: edit.end + start, text: edit.text }
  if (decoded.slice(edit.start, edit.end) !== word) return null
  const [wanted, there] = [occurrences(decoded, word), occurrences(raw, word)]
  const at = there[wanted.indexOf(edit.start)]
  if (wanted.length !== there.length || at === undefined) return null
  return { start: start + at, end: start + at + word.length, text: edit.text }
}

const occurrences = (text: string, word: string): number[] => {
  const places: number[] = []
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) places.push(at)
  return places
}
