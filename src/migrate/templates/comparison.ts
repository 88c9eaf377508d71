import { changeOf } from './api.ts'
import { chainAt } from './chains.ts'
import { type Code, calledName, childrenOf, type Name, receiverOf, unwrap } from './code.ts'
import type { Reading } from './reading.ts'
import type { Binding } from './scopes.ts'

/** Returns the value that a condition compares with the price id of `of`; null for another condition. */
export function comparedPrice(reading: Reading, test: Code, of: Name): Code | null {
  const inner = unwrap(test)
  if (inner.kind !== 'binary' || !/^===?$/.test(inner.operator)) return null
  const { left, right } = inner
  const price = isPriceOf(reading, left, of) ? right : isPriceOf(reading, right, of) ? left : null
  if (price === null || !isOneValue(price, reading, [reading.scopes.bindingOf(of)])) return null
  return price
}

function isPriceOf({ scopes }: Reading, code: Code, of: Name): boolean {
  const chain = chainAt(unwrap(code), scopes)
  if (chain === null || chain.isCalled) return false
  const base = unwrap(chain.steps[0]!.on)
  if (base.kind !== 'name' || scopes.bindingOf(base) !== scopes.bindingOf(of)) return false
  const keys = chain.steps.map(({ key }) => key)
  if (keys.some((key) => key === null)) return false
  const change = changeOf(keys.map((key) => key!))
  return change.kind === 'same' && String(change.path) === 'price_id' && change.used === keys.length
}

/**
 * Returns true for code without side effects whose value never changes and depends on none of the variables.
 */
export function isOneValue(code: Code, reading: Reading, without: readonly Binding[]): boolean {
  switch (code.kind) {
    case 'literal':
    case 'word':
      return true
    case 'name':
      return !without.includes(reading.scopes.bindingOf(code))
    case 'member': {
      const kind = reading.values.kindOf(code.object)
      // Such a value needs an edit of its own within the text that is moved.
      if (kind === 'subscription' || kind === 'stranger' || kind === 'data') return false
      if (code.key === 'items' || code.key === 'purchases') return false
      return childrenOf(code).every((child) => isOneValue(child, reading, without))
    }
    case 'wrap':
      return isOneValue(code.inner, reading, without)
    case 'call':
      return isReader(code, reading) && code.args.every((arg) => isOneValue(arg, reading, without))
    default:
      return false
  }
}

// Fields of a page or site, and options. The effects of other functions are unknown.
function isReader(call: Code & { kind: 'call' }, reading: Reading): boolean {
  const name = calledName(call)
  if (call.isNew || name === null) return false
  const receiver = receiverOf(call)
  if (receiver === null) return readers.has(name)
  const on = unwrap(receiver)
  if (on.kind === 'call') return isReader(on, reading) && !writers.test(name)
  return on.kind === 'name' && pages.has(on.name) && !writers.test(name)
}

const readers = new Set(['option', 'env', 'config', 'page', 'site', 'kirby', 't', 'strval', 'trim'])
const pages = new Set(['page', 'site', 'kirby', 'block', 'it'])
const writers =
  /^(?:update|save|create|delete|set|add|remove|push|pop|shift|next|increment|publish|change|write|impersonate)/i
