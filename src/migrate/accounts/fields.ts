/** One field of a content file in the text format. */
export interface Field {
  /** Lower-case, with `_` for `-` and space. */
  readonly name: string
  /** Offset of the field's name. */
  readonly at: number
  /** Place of the value in the file, without surrounding space. */
  readonly start: number
  readonly end: number
  /** The value, with unescaped divider lines. */
  readonly value: string
}

/**
 * Parses the fields of a content file: separated by lines of four dashes, with a name before the first colon.
 * O(length).
 */
export function fieldsOf(text: string): Field[] {
  const fields: Field[] = []
  let from = 0
  for (let line = 0; line <= text.length; ) {
    const newline = text.indexOf('\n', line)
    const next = newline === -1 ? text.length + 1 : newline + 1
    if (isDivider(text, line, next - 1)) {
      push(fields, text, from, line)
      from = Math.min(next, text.length)
    }
    line = next
  }
  push(fields, text, from, text.length)
  return fields
}

/** Normalises a field's name as the format compares names. */
export function fieldName(name: string): string {
  return name.trim().toLowerCase().replace(/[- ]/g, '_')
}

// Byte order marks are no part of a name; read as latin1, one has three characters.
const marks = /\ufeff|\u00ef\u00bb\u00bf/g

function isDivider(text: string, start: number, end: number): boolean {
  // A byte order mark may precede the first line.
  const at = start === 0 ? start + (/^(\ufeff|\u00ef\u00bb\u00bf)/.exec(text)?.[0].length ?? 0) : start
  if (!text.startsWith('----', at)) return false
  for (let i = at + 4; i < end; i++) if (!isSpace(text.charCodeAt(i))) return false
  return true
}

function push(fields: Field[], text: string, from: number, to: number): void {
  const colon = text.indexOf(':', from)
  if (colon === -1 || colon >= to) return
  const written = text.slice(from, colon)
  const name = fieldName(written.replace(marks, ''))
  if (name === '') return
  let start = colon + 1
  let end = to
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  fields.push({
    name,
    at: from + written.search(/[^\s\u00ef\u00bb\u00bf]/),
    start,
    end,
    value: unescaped(text.slice(start, end)),
  })
}

function unescaped(value: string): string {
  return value.includes('\\----') ? value.replace(/(^|\n)\\----/g, '$1----') : value
}

// Characters that PHP's trim() removes.
function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13 || code === 0 || code === 11
}
