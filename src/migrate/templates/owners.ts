import { accessorOf } from '../plan.ts'
import { around } from './chains.ts'
import { type Code, calledName, type Each, receiverOf, unwrap } from './code.ts'
import type { Reading } from './reading.ts'

/** Owner of a list of subscriptions. */
export interface Owner {
  readonly isCurrent: boolean
  /** Name in the source: `$user`. */
  readonly name: string
}

/** Returns the owner of a list that is exactly the result of `subscriptions()`; null for any other list. */
export function listOwner(list: Code, reading: Reading): Owner | null {
  const inner = unwrap(list)
  if (reading.values.kindOf(inner) !== 'subscriptions') return null
  if (inner.kind === 'name') {
    const { writes } = reading.scopes.bindingOf(inner)
    const [only] = writes
    return writes.length === 1 && only?.kind === 'value' ? listOwner(only.value, reading) : null
  }
  if (inner.kind === 'binary' && (inner.operator === '??' || inner.operator === '||'))
    return reading.values.kindOf(inner.right) === 'nothing' ? listOwner(inner.left, reading) : null
  if (inner.kind !== 'call' || calledName(inner) !== 'subscriptions') return null
  const receiver = receiverOf(inner)
  const user = receiver ?? inner.args[0]
  if (!user) return null
  const { start, end } = around(reading.text, user)
  return { isCurrent: reading.values.isCurrent(user), name: reading.text.slice(start, end) }
}

/** Formats the call that finds the subscription of a price, or tests for one. */
export function callFor(reading: Reading, price: Code, asks: 'which' | 'whether'): string {
  const { start, end } = price
  const call = reading.syntax.subscriptionForPrice(
    accessorOf(reading.facts),
    reading.text.slice(start, end).trim(),
  )
  return asks === 'whether' ? `${call} !== null` : call
}

/** Returns the semicolon that a statement needs in place of a loop. */
export function semicolonFor({ syntax, text }: Reading, valueEnd: number, loop: Each): string {
  const written = text.slice(loop.start, loop.end)
  // `endforeach` is followed by its own semicolon, or by the end of the tag.
  if (syntax.name === 'php') return /[;}]$/.test(written) ? ';' : ''
  const hadOne = /^\s*;/.test(text.slice(valueEnd, valueEnd + 40))
  const next = /\S/.exec(text.slice(loop.end, loop.end + 400))?.[0] ?? ''
  return hadOne || '([`+-/'.includes(next || ' ') ? ';' : ''
}

/** Reports a search for a price among a member's subscriptions, which stays as it is. */
export function sayOwner(
  reading: Reading,
  { at, owner, call }: { at: number; owner: Owner; call: string },
): void {
  if (owner.isCurrent)
    reading.find({
      code: 'search-stays',
      at,
      reason:
        'This looks for a price among all subscriptions of the member, ended and unpaid ones included, and goes on doing so. If it asks who has access, put the call there: subscriptionForPrice gives the one that opens the price now, or null.',
      replacement: call,
    })
  else
    reading.find({
      code: 'not-the-current-member',
      at,
      reason: `This looks for a price among the subscriptions of ${owner.name}, and nothing in this file says that this is the member who is logged in. If it is, and it asks who has access, put this there.`,
      replacement: call,
    })
}
