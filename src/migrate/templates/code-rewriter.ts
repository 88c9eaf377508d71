import type { Rewrite, SiteFacts } from '../plan.ts'
import { around } from './chains.ts'
import { type Call, type Code, calledName, receiverOf, unwrap, walkCode } from './code.ts'
import { comparedPrice } from './comparison.ts'
import { listEscapes } from './escapes.ts'
import { type Flow, purchaseFlow, subscriptionFlow } from './flow.ts'
import { type Handed, handedPurchases, readHanded } from './handed.ts'
import { importedNames } from './imports.ts'
import { reportLoops } from './loops.ts'
import { callFor, listOwner, sayOwner } from './owners.ts'
import { rewritePaths } from './paths.ts'
import { rewritePurchases } from './purchases.ts'
import { createCollector, type Reading, type Syntax } from './reading.ts'
import { readScopes } from './scopes.ts'
import { readTaint } from './taint.ts'
import { readValues } from './values.ts'
import { listWholes } from './whole.ts'

/** Rewrites parsed code. */
export function rewriteCode(root: Code, text: string, syntax: Syntax, facts: SiteFacts): Rewrite {
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
  reportLoops(reading)
  reportSearches(reading)
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
function usesSdk(text: string, { provider }: SiteFacts): boolean {
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

/** Reports `.find(s => … === price)` and `.some(…)` over a member's subscriptions, as {@link reportLoops} does. */
export function reportSearches(reading: Reading): void {
  if (reading.syntax.name !== 'script') return
  walkCode(reading.root, (code) => {
    if (code.kind !== 'call' || code.isNew || code.args.length !== 1 || reading.isReplaced(code)) return
    const name = calledName(code)
    const list = receiverOf(code)
    if (list === null || (name !== 'find' && name !== 'some')) return
    const price = priceOf(reading, code)
    const owner = price && listOwner(list, reading)
    if (!price || !owner) return
    const asks = name === 'some' ? 'whether' : 'which'
    const call = inPlace(callFor(reading, price, asks), code, reading, asks)
    sayOwner(reading, { at: code.start, owner, call })
  })
}

function priceOf(reading: Reading, call: Call): Code | null {
  const fn = unwrap(call.args[0]!)
  if (fn.kind !== 'function' || fn.params.length !== 1) return null
  const [param] = fn.params
  if (param?.kind !== 'name') return null
  const test = returnedBy(fn.body)
  return test && comparedPrice(reading, test, param)
}

/** Returns the value of a function that only returns. */
function returnedBy(body: Code): Code | null {
  if (body.kind !== 'block') return body
  const [only, ...more] = body.body
  return only?.kind === 'return' && more.length === 0 ? only.value : null
}

// A comparison binds weaker than a call, so it needs parentheses among other operators.
function inPlace(call: string, code: Code, { scopes, text }: Reading, asks: 'which' | 'whether'): string {
  if (asks === 'which' || around(text, code).start !== code.start) return call
  const parent = scopes.parentOf(code)
  const isWeak =
    (parent?.kind === 'binary' && parent.operator !== '&&' && parent.operator !== '||') ||
    parent?.kind === 'member' ||
    parent?.kind === 'wrap' ||
    (parent?.kind === 'other' && (parent.what === 'not' || parent.what === 'unary'))
  return isWeak ? `(${call})` : call
}
