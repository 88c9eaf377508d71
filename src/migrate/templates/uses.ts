import type { Chain } from './chains.ts'
import { type Code, calledName, unwrap } from './code.ts'
import type { Reading } from './reading.ts'

/** True where only it matters whether there is a value: `if ($x)`, `isset($x)`, `x === null`. */
export const isTested = (code: Code, { scopes }: Pick<Reading, 'scopes'>): boolean => {
  const parent = scopes.parentOf(code)
  switch (parent?.kind) {
    case 'if':
      return parent.test === code
    case 'choice':
      return parent.test === code && parent.yes !== null
    case 'wrap':
      return isTested(parent, { scopes })
    case 'binary':
      if (parent.operator === '&&') return parent.left === code || isTested(parent, { scopes })
      if (parent.operator === '||') return isTested(parent, { scopes })
      return /^[!=]==?$/.test(parent.operator) && isNull(parent.left === code ? parent.right : parent.left)
    case 'other':
      return parent.what === 'not' || parent.what === 'isset' || parent.what === 'empty'
    default:
      return false
  }
}

const isNull = (code: Code): boolean => {
  const inner = unwrap(code)
  return (
    (inner.kind === 'literal' && inner.value === null) ||
    (inner.kind === 'name' && inner.name === 'undefined')
  )
}

/** True where something is written to it or it is removed. */
export const isWritten = (code: Code, { scopes }: Reading): boolean => {
  const parent = scopes.parentOf(code)
  if (parent?.kind === 'assign') return parent.target === code
  return parent?.kind === 'other' && ['unset', 'rewritten', 'pre', 'post'].includes(parent.what)
}

/** True where a text is read as a date already: `new Date(x)`, `Date.parse(x)`. */
export const readsDate = (code: Code, { scopes }: Reading): boolean => {
  const parent = scopes.parentOf(code)
  if (parent?.kind !== 'call' || parent.args[0] !== code) return false
  const callee = unwrap(parent.callee)
  if (parent.isNew) return callee.kind === 'name' && callee.name === 'Date'
  return callee.kind === 'member' && callee.key === 'parse'
}

/** True where the case of the letters is set at once, so that it does not matter what it was. */
export const readsLetters = (chain: Chain, { scopes }: Reading): boolean => {
  if (chain.isCalled) return /^to(?:Locale)?(?:Upper|Lower)Case$/.test(String(chain.steps.at(-1)!.key))
  const parent = scopes.parentOf(chain.code)
  if (parent?.kind !== 'call' || parent.args.length === 0 || parent.args[0] !== chain.code) return false
  return /^(?:(?:mb_)?strto(?:upper|lower)|Str::(?:upper|lower))$/.test(calledName(parent) ?? '')
}
