import { isIndex } from './api.ts'
import { chainAt, priceStep } from './chains.ts'
import { type Code, type Name, unwrap, walkCode } from './code.ts'
import type { Reading } from './reading.ts'
import { type Binding, loopOf, rootOf } from './scopes.ts'

/** The variables of which a price id is read in the manner of a subscription: what else is read of them may be meant,
 *  too. In PHP, where brackets tell v1 from v2, they are found after an edit as well. */
export const presumedBindings = (reading: Reading): ReadonlySet<Binding> => {
  const found = new Set<Binding>()
  if (reading.usesSdk) return found
  walkCode(reading.root, (code) => {
    const chain = chainAt(code, reading.scopes)
    const first = chain?.steps[0]
    if (!chain || !first) return
    const base = unwrap(first.on)
    if (base.kind !== 'name') return
    const isEdited = reading.syntax.name === 'php' && first.key === 'price_id' && first.style === 'property'
    if (priceStep(chain.steps) === 0 || isEdited) found.add(reading.scopes.bindingOf(base))
  })
  return found
}

/** A variable of which nothing is known, but whose name, or whose use, says subscription. */
export const looksLikeSubscription = (
  name: Name,
  reading: Reading,
  presumed: ReadonlySet<Binding>,
): boolean => {
  const kind = reading.values.kindOf(name)
  // Variables of a parameter's destructuring, too: `({ s }) => …`.
  const isOutside = kind === 'unknown' || kind === 'opaque'
  if (reading.syntax.name === 'script' && isOutside && reading.facts.given?.names.has(name.name)) return true
  if (reading.usesSdk || kind !== 'unknown') return false
  if (/subscription$/i.test(name.name) || presumed.has(reading.scopes.bindingOf(name))) return true
  const loop = loopOf(name, reading.scopes)
  const list = loop ? rootOf(loop.list) : null
  return list !== null && /subscriptions$/i.test(list.name)
}

/** True in JavaScript for a value that may be a subscription: a variable, an element of a list, or the
 *  result of a function. */
export const mayBeGivenOne = (code: Code, { syntax, handed, values }: Reading): boolean => {
  if (syntax.name !== 'script' || !['unknown', 'opaque'].includes(values.kindOf(code))) return false
  if (code.kind === 'name') return handed.mayBeOne(code)
  return (code.kind === 'call' || (code.kind === 'member' && isIndex(code.key))) && handed.mayHold(code)
}
