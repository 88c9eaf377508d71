import { nothing, type Rewrite, type Rewriter, type SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { rewriteCode } from './code-rewriter.ts'
import { mayBeGiven } from './given.ts'
import type { Syntax } from './reading.ts'
import { scanCode, scanInlineScripts, scanTemplate } from './scan.ts'
import { syntaxOf, treeOf } from './tree.ts'

/**
 * Rewrites templates and code: array paths on subscriptions become properties, `purchases` becomes
 * `payments`. Undecidable cases, and loops that `subscriptionForPrice` could replace, are reported.
 */
export const rewriteTemplate: Rewriter = (source, facts) => {
  const { file, text } = source
  const isGiven = mayBeGiven(source, facts.given) || mayBeGiven(source, facts.givenPurchases)
  if (!isConcerned(text) && !isGiven) return nothing
  const syntax = /\.blade\.php$/.test(file) ? null : syntaxOf(source)
  if (syntax === null) return scanTemplate(file, text, facts) ?? nothing
  return rewriteParsed(source, syntax, facts) ?? scanCode(text, syntax, facts)
}

// Most files of a site contain none of these words.
function isConcerned(text: string): boolean {
  return (
    /subscription|purchases|\bpayments\b|getUserData/i.test(text) ||
    (text.includes('items') && text.includes('data') && text.includes('price'))
  )
}

function rewriteParsed(source: Source, syntax: Syntax, facts: SiteFacts): Rewrite | null {
  const root = treeOf(source)
  try {
    if (root === null) return null
    const rewrite = rewriteCode(root, source.text, syntax, facts)
    const inline = syntax.name === 'php' ? scanInlineScripts(root, source.text, facts) : []
    return { ...rewrite, findings: [...rewrite.findings, ...inline].sort((a, b) => a.at - b.at) }
  } catch (error) {
    // Code nested thousands of levels deep exceeds the stack and counts as unreadable.
    if (error instanceof RangeError) return null
    throw error
  }
}
