/** An assignment in a `.env` file. */
export interface Assignment {
  readonly name: string
  /** Of the name. */
  readonly start: number
  readonly end: number
  /** Commented out: `# STRIPE_SECRET=`. */
  readonly isComment: boolean
}

/** The assignments of a `.env` file; values, which may go over several lines in quotes, are skipped. O(text). */
export const readEnv = (text: string): Assignment[] => {
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
      found.push({ name, start, end: start + name.length, isComment: comment !== undefined })
      at = comment === undefined ? valueEnd(text, line.lastIndex) : line.lastIndex
    } else at++
    const next = text.indexOf('\n', at)
    if (next === -1) break
    at = next
  }
  return found
}

/** Where a value ends: behind its closing quote, or at the end of its line. */
const valueEnd = (text: string, start: number): number => {
  const quote = text[start]
  if (quote !== '"' && quote !== "'" && quote !== '`') return start
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++
    else if (text[at] === quote) return at
  }
  // No closing quote: then it is a value of one line.
  return start
}

/** Where a configuration or a template reads a variable; the offsets are those of its name. */
export const envReferences = (text: string): { name: string; start: number; end: number }[] =>
  [...text.matchAll(references)].map((match) => {
    const name = match.slice(1).find((group) => group !== undefined)!
    const start = match.index + match[0].indexOf(name, match[0].search(/[('"{.[]/))
    return { name, start, end: start + name.length }
  })

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
