import { parsePhp } from '../php.ts'
import { nothing, type Rewrite, type Rewriter, type SiteFacts } from '../plan.ts'
import { parseScript } from '../script.ts'
import type { Source } from '../source.ts'
import type { Code } from './code.ts'
import { rewriteCode } from './code-rewriter.ts'
import { fromPhp } from './from-php.ts'
import { fromScript } from './from-script.ts'
import { maskTemplate } from './mask.ts'
import { php, type Syntax, script } from './reading.ts'
import { scanCode, scanTemplate } from './scan.ts'

/** Templates and code: array paths on subscriptions become properties, `purchases` becomes `payments`, and a loop that
 *  compares price ids becomes `subscriptionForPrice`. What cannot be decided is found, not changed. */
export const rewriteTemplate: Rewriter = (source, facts) => {
  const { file, text } = source
  if (!isConcerned(text)) return nothing
  const scanned = scanTemplate(file, text, facts)
  if (scanned) return scanned
  const syntax = /\.php$/.test(file) ? php : /\.(?:[cm]?[jt]sx?|eta|ejs)$/.test(file) ? script : null
  if (syntax === null) return nothing
  return rewriteParsed(source, syntax, facts) ?? scanCode(text, syntax, facts)
}

// Most files of a site say none of these words.
const isConcerned = (text: string): boolean =>
  /subscription|purchases|getUserData/i.test(text) ||
  (text.includes('items') && text.includes('data') && text.includes('price'))

const rewriteParsed = (source: Source, syntax: Syntax, facts: SiteFacts): Rewrite | null => {
  try {
    const root = treeOf(source)
    return root && rewriteCode(root, source.text, syntax, facts)
  } catch (error) {
    // Code that is nested thousands of levels deep is more than the stack holds: it counts as not readable.
    if (error instanceof RangeError) return null
    throw error
  }
}

const treeOf = ({ file, text }: Source): Code | null => {
  if (/\.php$/.test(file)) {
    const tree = parsePhp(text)
    return tree && fromPhp(tree, text)
  }
  const language = /\.(eta|ejs)$/.exec(file)?.[1] as 'eta' | 'ejs' | undefined
  const tree = parseScript(language ? maskTemplate(text, language) : text, file)
  return tree && fromScript(tree)
}
