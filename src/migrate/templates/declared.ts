import { type Code, type Fn, type Span, walkCode } from './code.ts'
import type { Reading } from './reading.ts'

/** Lists what is declared `array` and is a subscription: PHP refuses an object there. */
export const sayDeclared = (reading: Reading, fn: Fn): void => {
  const { values, handed } = reading
  const isOne = (param: Code) =>
    values.kindOf(param) === 'subscription' || (param.kind === 'name' && handed.mayBeOne(param))
  for (const [i, param] of fn.params.entries()) {
    const declared = fn.arrays?.params[i]
    if (declared && isOne(param)) say(reading, declared, 'This parameter')
  }
  const declared = fn.arrays?.returned
  if (declared && returnsOne(reading, fn)) say(reading, declared, 'What is returned here')
}

const returnsOne = ({ values }: Reading, fn: Fn): boolean => {
  if (fn.body.kind !== 'block') return values.kindOf(fn.body) === 'subscription'
  let isOne = false
  walkCode(fn.body, (code: Code) => {
    isOne ||= code.kind === 'return' && code.value !== null && values.kindOf(code.value) === 'subscription'
  })
  return isOne
}

const say = (reading: Reading, { start }: Span, what: string): void =>
  reading.find({
    code: 'declared-array',
    at: start,
    reason: `${what} is declared as an array and is a subscription. In version 2 that is an object, and PHP would refuse it.`,
    replacement: 'object',
  })
