/** An assignment in a `.env` file. */
export interface Assignment {
  readonly name: string
  /** Offsets of the name. */
  readonly start: number
  readonly end: number
  /** Offsets of the value as written, including its quotes. */
  readonly value: { readonly start: number; readonly end: number }
  /** True if commented out: `# STRIPE_SECRET=`. */
  readonly isComment: boolean
}

/** Parses the assignments of a `.env` file; quoted values may span several lines. O(text). */
export function readEnv(text: string): Assignment[] {
  const found: Assignment[] = []
  const line = /(?:^|\n)\uFEFF?([ \t]*)(#[ \t]*)?((?:export[ \t]+)?)([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/y
  let at = 0
  while (at <= text.length) {
    line.lastIndex = at
    const match = line.exec(text)
    if (match) {
      const [whole, , comment, , name = ''] = match
      const from = whole.lastIndexOf(name, whole.lastIndexOf('='))
      const start = match.index + from
      const value = { start: line.lastIndex, end: valueEnd(text, line.lastIndex, comment !== undefined) }
      found.push({ name, start, end: start + name.length, value, isComment: comment !== undefined })
      at = value.end
    } else at++
    const next = text.indexOf('\n', at)
    if (next === -1) break
    at = next
  }
  return found
}

/** Reads a value without its quotes or a trailing comment. */
export function assignedText(text: string, { value }: Assignment): string {
  const written = text.slice(value.start, value.end)
  return /^(["'`])[\s\S]*\1$/.test(written) && written.length > 1
    ? written.slice(1, -1)
    : written.replace(/\s#.*$/, '').trim()
}

/** Finds the end of a value: after its closing quote, or at the end of its line. */
function valueEnd(text: string, start: number, isComment: boolean): number {
  const quote = text[start]
  const lineBreak = text.indexOf('\n', start)
  const lineEnd = lineBreak === -1 ? text.length : lineBreak
  if (isComment || (quote !== '"' && quote !== "'" && quote !== '`')) return lineEnd
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++
    else if (text[at] === quote) return at + 1
  }
  // Without a closing quote, the value ends with its line.
  return lineEnd
}

/** Finds reads of variables in a configuration or template; the offsets are those of the name. */
export function envReferences(text: string): { name: string; start: number; end: number }[] {
  return [...text.matchAll(references)].map((match) => {
    const name = match.slice(1).find((group) => group !== undefined)!
    const start = match.index + match[0].indexOf(name, match[0].search(/[('"{.[]/))
    return { name, start, end: start + name.length }
  })
}

const name = '([A-Za-z_]\\w*)'
const references = new RegExp(
  [
    `\\b(?:env|getenv)\\(\\s*['"]${name}['"]`,
    `\\$_(?:ENV|SERVER)\\[\\s*['"]${name}['"]\\s*\\]`,
    `\\b(?:process|import\\.meta)\\.env\\.${name}`,
    `\\b(?:process|import\\.meta)\\.env\\[\\s*['"]${name}['"]\\s*\\]`,
    `\\$\\{${name}(?::-[^}]*)?\\}`,
  ].join('|'),
  'g',
)
