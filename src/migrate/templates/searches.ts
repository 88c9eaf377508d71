import { accessorOf } from '../plan.ts'
import { around } from './chains.ts'
import { type Call, type Code, calledName, receiverOf, unwrap, walkCode } from './code.ts'
import { comparedPrice } from './comparison.ts'
import { callFor, listOwner, sayOwner, type stays } from './owners.ts'
import type { Reading } from './reading.ts'

/** Turns `.find(s => … === price)` and `.some(…)` over the current member's subscriptions into
 *  `subscriptionForPrice`. */
export const rewriteSearches = (reading: Reading): void => {
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
    const stay = stayOf(reading, code, asks)
    if (owner.isCurrent && stay === null)
      reading.replace(code, call, `.${name}() over subscriptions() → subscriptionForPrice()`)
    else sayOwner(reading, { at: code.start, owner, call, stay })
  })
}

const stayOf = (
  reading: Reading,
  { start, end }: Call,
  asks: 'which' | 'whether',
): keyof typeof stays | null => {
  if (/\/\*|\/\//.test(reading.text.slice(start, end))) return 'comments'
  // `find` returns undefined; subscriptionForPrice returns null.
  if (asks === 'which' && /\bundefined\b/.test(reading.text)) return 'undefined'
  return hasAccessor(reading) ? null : 'accessor'
}

// A module has the accessor only if it is imported; an existing call shows that it is.
const hasAccessor = ({ text, facts }: Reading): boolean => text.includes(`${accessorOf(facts)}()`)

const priceOf = (reading: Reading, call: Call): Code | null => {
  const fn = unwrap(call.args[0]!)
  if (fn.kind !== 'function' || fn.params.length !== 1) return null
  const [param] = fn.params
  if (param?.kind !== 'name') return null
  const test = returnedBy(fn.body)
  return test && comparedPrice(reading, test, param)
}

/** Returns the value of a function that only returns. */
const returnedBy = (body: Code): Code | null => {
  if (body.kind !== 'block') return body
  const [only, ...more] = body.body
  return only?.kind === 'return' && more.length === 0 ? only.value : null
}

// A comparison binds weaker than a call, so it needs parentheses among other operators.
const inPlace = (call: string, code: Code, { scopes, text }: Reading, asks: 'which' | 'whether'): string => {
  if (asks === 'which' || around(text, code).start !== code.start) return call
  const parent = scopes.parentOf(code)
  const isWeak =
    (parent?.kind === 'binary' && parent.operator !== '&&' && parent.operator !== '||') ||
    parent?.kind === 'member' ||
    parent?.kind === 'wrap' ||
    (parent?.kind === 'other' && (parent.what === 'not' || parent.what === 'unary'))
  return isWeak ? `(${call})` : call
}
