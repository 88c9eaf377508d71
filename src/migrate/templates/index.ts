import { parsePhp } from '../php.ts'
import { nothing, type Rewrite, type Rewriter, type SiteFacts } from '../plan.ts'
import { parseScript } from '../script.ts'
import type { Source } from '../source.ts'
import { rewriteCode } from './code-rewriter.ts'
import { fromPhp } from './from-php.ts'
import { fromScript } from './from-script.ts'
import { php, script } from './reading.ts'

/** Templates and code: array paths on subscriptions become properties, `purchases` becomes `payments`, and a loop that
 *  compares price ids becomes `subscriptionForPrice`. What cannot be decided is found, not changed. */
export const rewriteTemplate: Rewriter = (source, facts) => {
  if (!isConcerned(source.text)) return nothing
  return rewriteParsed(source, facts) ?? nothing
}

// Most files of a site say none of these words.
const isConcerned = (text: string): boolean =>
  /subscription|purchases|getUserData/i.test(text) ||
  (text.includes('items') && text.includes('data') && text.includes('price'))

const rewriteParsed = ({ file, text }: Source, facts: SiteFacts): Rewrite | null => {
  if (/\.php$/.test(file)) {
    const tree = parsePhp(text)
    return tree && rewriteCode(fromPhp(tree, text), text, php, facts)
  }
  const tree = parseScript(text, file)
  return tree && rewriteCode(fromScript(tree), text, script, facts)
}
