/** What people read, as text: pages of Markdown, the English words of pages and mails, and the texts in code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { parse } from 'yaml'

export interface Source {
  /** Below the root of the repository. */
  readonly file: string
  readonly text: string
  /** The place of a line: `line 12`, or the key of a text. */
  readonly placeOf: (line: number) => string
}

function filesBelow(root: string, folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .sort()
}

/** CHANGELOG.md is a list of changes, and docs/api is made from comments. */
export function markdownSources(root: string): Source[] {
  const pages = filesBelow(root, 'docs', '.md').filter((file) => !/^docs\/(api|\.vitepress)\//.test(file))
  const beside = ['src/README.md', 'src/providers/README.md', 'test/LABORATORY.md']
  const files = ['README.md', 'MIGRATION.md', 'CONTRIBUTING.md', 'SECURITY.md', ...beside, ...pages]
  return files.map((file) => ({
    file,
    text: readFileSync(join(root, file), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, (front) =>
      '\n'.repeat(front.split('\n').length - 1),
    ),
    placeOf: (line) => `line ${line}`,
  }))
}

/** The English texts of pages, the office, the partner pages and mails. */
export function wordSources(root: string): Source[] {
  const words = filesBelow(root, 'templates', '/en.yml').map((file) => ({ file, of: (all: unknown) => all }))
  const mails = filesBelow(root, 'templates/mails', '.yml')
    .filter((file) => !/\/(en|de)\.yml$/.test(file))
    .map((file) => ({ file, of: (all: unknown) => (all as { en: unknown }).en }))
  return [...words, ...mails].map(({ file, of }) =>
    listed(file, leavesOf(of(parse(readFileSync(join(root, file), 'utf8'))), '')),
  )
}

type Leaf = readonly [place: string, text: string]

function leavesOf(value: unknown, place: string): Leaf[] {
  if (typeof value === 'string') return [[place, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, place === '' ? key : `${place}.${key}`),
  )
}

/** Each text is a paragraph of its own, so that the line of a finding names its place. */
function listed(file: string, leaves: readonly Leaf[]): Source {
  const lines = leaves.map(([, text]) => asParagraph(text))
  return { file, text: lines.join('\n\n'), placeOf: (line) => leaves[Math.floor((line - 1) / 2)]?.[0] ?? '' }
}

/** `{account|See your account}` shows its second part; what Markdown would read as a sign is taken out. */
function asParagraph(text: string): string {
  return text
    .replaceAll(/\{\w+\|([^}]*)\}/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[<>*_[\]#|]/g, '')
    .replace(/^[-+\d.\s]+/, '')
}

/** What the command line, errors and messages say: the texts of the code that are sentences. */
export function codeSources(root: string): Source[] {
  const files = filesBelow(root, 'src', '.ts').filter((file) => !/^src\/(fakes|generated)\//.test(file))
  return files.flatMap((file) => {
    const leaves = textsInCode(readFileSync(join(root, file), 'utf8'))
    return leaves.length === 0 ? [] : [listed(file, leaves)]
  })
}

export function textsInCode(code: string): Leaf[] {
  const source = ts.createSourceFile('a.ts', code, ts.ScriptTarget.Latest, true)
  const found: Leaf[] = []
  const look = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) || ts.isImportDeclaration(node)) return
    const text = textOf(node)
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
    // Each line of a longer output, such as the examples of a command, is a text of its own.
    const lines = text === null || isSql(text) ? [] : text.split('\n').filter(isProse)
    found.push(...lines.map((item): Leaf => [`line ${line}`, item]))
    if (text === null || ts.isTemplateExpression(node)) ts.forEachChild(node, look)
  }
  look(source)
  return found
}

/** A text of several literals that `+` joins is one text. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `{x}${literal.text}`).join('')
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const left = textOf(node.left)
    const right = textOf(node.right)
    return left === null && right === null ? null : `${left ?? '{x}'}${right ?? '{x}'}`
  }
  return null
}

function isSql(text: string): boolean {
  return /^\s*(select|insert|update|delete|create|alter|drop|with|begin|pragma|lock)\b[^.]*\b(from|into|set|table|index|as|on)\b/is.test(
    text,
  )
}

/** Five words, one of them small: neither a name, a list of names, a pattern, nor code. */
function isProse(text: string): boolean {
  return (
    (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= 5 &&
    text.trim().includes(' ') &&
    /\b(the|a|an|is|are|was|to|of|and|it|this|has|with|by|The|A|An|It|This)\b/.test(text) &&
    !/[{;]$|=>|<\w+ |\?:|\\[sdw]/.test(text)
  )
}
