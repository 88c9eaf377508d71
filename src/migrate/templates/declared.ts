import { type Call, type Code, type Fn, type Other, type Span, walkCode } from './code.ts'
import { subscriptionFlow } from './flow.ts'
import type { Reading } from './reading.ts'
import { returnsOf } from './taint.ts'

/**
 * Reports declarations of type `array` for a value that may be a subscription, because PHP refuses an object
 * there.
 */
export function sayDeclared(reading: Reading, fn: Fn): void {
  for (const [i, param] of fn.params.entries()) {
    const declared = fn.arrays?.params[i]
    if (!declared) continue
    const certainty = certaintyOfParam(reading, fn, param)
    if (certainty !== 'no') say(reading, declared, 'This parameter', certainty)
  }
  const declared = fn.arrays?.returned
  if (!declared) return
  const certainties = returnsOf(fn).map((value) => certaintyOf(reading, value))
  if (certainties.includes('yes')) say(reading, declared, 'The value returned here', 'yes')
  else if (certainties.includes('maybe')) say(reading, declared, 'The value returned here', 'maybe')
}

/** Does the same for a property of a class, for any object with a property of that name in any file. */
export function sayDeclaredProperty(reading: Reading, property: Other): void {
  const [key] = property.children
  if (!property.array || key?.kind !== 'literal') return
  const name = String(key.value)
  let certainty: Certainty = reading.facts.given?.ones.has(`property ${name}`) ? 'maybe' : 'no'
  walkCode(reading.root, (code) => {
    if (code.kind !== 'assign' || code.target.kind !== 'member' || code.target.style === 'index') return
    if (code.target.key !== name || certainty === 'yes') return
    const found = certaintyOf(reading, code.value)
    if (found !== 'no') certainty = found
  })
  if (certainty !== 'no') say(reading, property.array, 'This property', certainty)
}

/** Returns a declared PHP type that refuses a purchase of version 2, which is an object; null without one. */
export function refusingType(reading: Reading, code: Code): string | null {
  if (code.kind === 'function') return typeOfFunction(reading, code)
  if (code.kind !== 'other' || code.what !== 'property') return null
  const [key] = code.children
  if (key?.kind !== 'literal' || !reading.taint.properties.has(String(key.value))) return null
  if (code.scalar) return wordAt(reading, code.scalar)
  return code.array && isOneKept(reading, String(key.value)) ? wordAt(reading, code.array) : null
}

function typeOfFunction(reading: Reading, fn: Fn): string | null {
  const { taint, text } = reading
  for (const [i, param] of fn.params.entries()) {
    const [scalar, array] = [fn.scalars?.params[i], fn.arrays?.params[i]]
    if ((!scalar && !array) || !taint.holds(param)) continue
    if (scalar) return text.slice(scalar.start, scalar.end)
    if (isOneGiven(reading, fn, i)) return wordAt(reading, array!)
  }
  const returned = returnsOf(fn).filter(taint.holds)
  if (fn.scalars?.returned && returned.length > 0) return wordAt(reading, fn.scalars.returned)
  const isArray = fn.arrays?.returned && returned.some((value) => !taint.isContainer(value))
  return isArray ? wordAt(reading, fn.arrays.returned!) : null
}

function wordAt({ text }: Reading, { start, end }: Span): string {
  return text.slice(start, end)
}

function isOneKept({ root, taint, facts }: Reading, name: string): boolean {
  let found = facts.given?.ones.has(`property ${name}`) === true
  walkCode(root, (code) => {
    if (code.kind !== 'assign' || code.target.kind !== 'member' || code.target.key !== name) return
    found ||= taint.holds(code.value) && !taint.isContainer(code.value)
  })
  return found
}

/** Returns true for a parameter that gets more than lists. A callback gets an element. */
function isOneGiven(reading: Reading, fn: Fn, index: number): boolean {
  const { taint, facts, scopes } = reading
  const calls = callsOf(reading, fn)
  const parent = scopes.parentOf(fn)
  if (fn.name === undefined && (calls.length === 0 || parent?.kind !== 'call')) return true
  const name =
    fn.owner !== undefined && fn.name === '__construct' ? `new ${fn.owner}` : fn.name?.toLowerCase()
  if (name !== undefined && facts.given?.ones.has(name)) return true
  return calls.some((call) => {
    const arg = call.args[index]
    return arg === undefined || arg.kind === 'other' || (taint.holds(arg) && !taint.isContainer(arg))
  })
}

type Certainty = 'yes' | 'maybe' | 'no'

function certaintyOf({ values, taint, handed }: Reading, value: Code): Certainty {
  if (subscriptionFlow.isOne(values.kindOf(value)) || (value.kind === 'name' && handed.mayBeOne(value)))
    return 'yes'
  return taint.holds(value) && !taint.isContainer(value) ? 'maybe' : 'no'
}

function certaintyOfParam(reading: Reading, fn: Fn, param: Code): Certainty {
  const { values, handed, taint, facts } = reading
  if (values.kindOf(param) === 'subscription') return 'yes'
  const isHanded = param.kind === 'name' && handed.mayBeOne(param)
  if (!isHanded && !taint.holds(param)) return 'no'
  const certainty = isHanded ? 'yes' : 'maybe'
  // A callback gets an element of a list; a named function may get only whole lists.
  if (fn.name === undefined || facts.given === undefined) return certainty
  const name = fn.owner !== undefined && fn.name === '__construct' ? `new ${fn.owner}` : fn.name.toLowerCase()
  const isOneGiven =
    facts.given.ones.has(name) ||
    callsOf(reading, fn).some((call) => call.args.some((arg) => certaintyOf(reading, arg) !== 'no'))
  return isOneGiven ? certainty : 'no'
}

function callsOf(reading: Reading, fn: Fn): readonly Call[] {
  const found: Call[] = []
  walkCode(reading.root, (code) => {
    if (code.kind === 'call' && reading.taint.functionsBy(code).includes(fn)) found.push(code)
  })
  return found
}

function say(reading: Reading, { start }: Span, subject: string, certainty: Certainty): void {
  reading.find({
    code: 'declared-array',
    at: start,
    reason:
      certainty === 'yes'
        ? `${subject} is declared as an array and is a subscription. In version 2 that is an object, and PHP would refuse it.`
        : `${subject} is declared as an array and may be a subscription. If it is one, declare it object: PHP would refuse it otherwise.`,
    replacement: certainty === 'yes' ? 'object' : null,
  })
}
