import type { Rewrite, SiteFacts } from '../plan.ts'
import type { Code } from './code.ts'
import { listEscapes } from './escapes.ts'
import { type Flow, purchaseFlow, subscriptionFlow } from './flow.ts'
import { type Handed, handedPurchases, readHanded } from './handed.ts'
import { importedNames } from './imports.ts'
import { rewriteLoops } from './loops.ts'
import { rewritePaths } from './paths.ts'
import { rewritePurchases } from './purchases.ts'
import { createCollector, type Reading, type Syntax } from './reading.ts'
import { readScopes } from './scopes.ts'
import { rewriteSearches } from './searches.ts'
import { readTaint } from './taint.ts'
import { readValues } from './values.ts'
import { listWholes } from './whole.ts'

/** Rewrites parsed code. */
export const rewriteCode = (root: Code, text: string, syntax: Syntax, facts: SiteFacts): Rewrite => {
  const scopes = readScopes(root)
  const values = readValues(scopes, facts)
  const imported = syntax.name === 'script' ? importedNames(text) : new Map<string, string>()
  const handed = readHanded(root, scopes, values, facts.given, imported)
  const { result, ...collect } = createCollector()
  const follow = (flow: Flow, given = facts.given, carried: Pick<Handed, 'mayHold'> = handed) => ({
    flow,
    taint: readTaint({ flow, root, language: syntax.name, scopes, values, handed: carried, given, imported }),
  })
  const reading: Reading = {
    text,
    syntax,
    facts,
    root,
    scopes,
    values,
    handed,
    ...follow(subscriptionFlow),
    imported,
    usesSdk: usesSdk(text, facts),
    ...collect,
  }
  // Loops come first, because a piece that is replaced as a whole needs no edits inside.
  rewriteLoops(reading)
  rewriteSearches(reading)
  rewritePaths(reading)
  rewritePurchases(reading)
  listWholes(reading)
  listEscapes(reading)
  const given = facts.givenPurchases
  listEscapes({
    ...reading,
    ...follow(purchaseFlow, given, handedPurchases(root, values, given)),
    facts: { ...facts, given },
  })
  return result()
}

// Matches `use Stripe\Subscription`, `new StripeClient`, `import Stripe from 'stripe'`,
// `stripe.subscriptions`, `$stripe->…`.
const usesSdk = (text: string, { provider }: SiteFacts): boolean => {
  if (!/^[\w-]+$/.test(provider)) return false
  const name = provider.charAt(0).toUpperCase() + provider.slice(1)
  const signs = [
    `\\b${name}(?:\\\\\\w|Client\\b|\\.[A-Z])`,
    `\\bnew\\s+\\\\?${name}\\b`,
    `(?:from|require\\()\\s*['"][^'"\\n]{0,200}\\b${provider}\\b[^'"\\n]{0,200}['"]`,
    `(?:^|[^\\w>.])\\$?${provider}(?:\\.|->)(?:subscriptions|customers|checkout|invoices|webhooks)\\b`,
  ]
  return new RegExp(signs.join('|'), 'm').test(text)
}
