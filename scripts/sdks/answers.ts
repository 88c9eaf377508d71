/**
 * Judges the fakes' answers by the types of the official packages: what the adapters were shown must be what
 * the package promises to give for the same request.
 */
import ts from 'typescript'
import { camelCase, operationsAt, type Subject } from '../drift/compare.ts'
import type { Sdk } from '../drift/sdk.ts'
import type { Answer } from '../drift/sent.ts'

/** The verdict on one provider's fake server. */
export interface Verdict {
  /** Objects of requests that the package knows, and how many of them it accepts. */
  readonly judged: number
  readonly accepted: number
  /** Each reason for which objects are refused, with how many are. */
  readonly refusals: ReadonlyMap<string, number>
}

/** Compares each answer with the package's type. A reason of `Subject.shown` lets one thing pass. */
export function judge(subject: Subject, sdk: Sdk, answers: readonly Answer[]): Verdict {
  const { base = '', root = '', shown = {} } = subject
  const refusals = new Map<string, number>()
  const excused = new Set<string>()
  let [judged, accepted] = [0, 0]
  for (const { method, path: whole, shown: body } of answers) {
    const path = whole.startsWith(base) ? whole.slice(base.length) : whole
    const rooted = path.startsWith(root) ? path : `${root}${path}`
    const operations = operationsAt(sdk.operations, rooted).filter((operation) => operation.method === method)
    const [first] = operations
    const types = operations.flatMap(({ gives }) =>
      gives.flatMap((type) => givenIn(type, subject, sdk.checker)),
    )
    if (first === undefined || types.length === 0) continue
    const objects = subject.objectsIn?.(body) ?? [body]
    for (const object of objects) {
      if (subject.isOfFake?.(object) === false) continue
      judged++
      const wrong = faultsOf(object, types, { subject, checker: sdk.checker })
        .map((fault) => `${method} ${first.path}: ${fault}`)
        .filter((fault) => {
          const isExcused = Object.hasOwn(shown, fault)
          if (isExcused) excused.add(fault)
          return !isExcused
        })
      if (wrong.length === 0) accepted++
      for (const fault of new Set(wrong)) refusals.set(fault, (refusals.get(fault) ?? 0) + 1)
    }
  }
  for (const fault of Object.keys(shown))
    if (!excused.has(fault)) refusals.set(`"${fault}" needs no reason any more`, 0)
  return { judged, accepted, refusals }
}

/**
 * The type of the objects in what a function gives, which is in `result` and the like at some packages; of a
 * list, that of its items where the answer is taken apart.
 */
function givenIn(
  type: ts.Type,
  { givenAs, objectsIn, isMadeOfAnswer }: Subject,
  checker: ts.TypeChecker,
): ts.Type[] {
  const parts = type.isUnion() ? type.types : [type]
  return parts.flatMap((part) => {
    const inner = checker.isTupleType(part) ? checker.getTypeArguments(part as ts.TypeReference)[0]! : part
    const held = givenAs === undefined ? [inner] : membersNamed(inner, givenAs, checker)
    return held.flatMap((each) => {
      if (each.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Never)) return []
      if (isMadeOfAnswer) return madeOf(itemOf(each, checker) ?? each, checker)
      // Some lists hold all that came in `result`.
      const [page] = membersNamed(each, 'result', checker)
      if (page !== undefined && checker.getPropertiesOfType(each).length === 1) return [page]
      if (objectsIn === undefined) return [each]
      const item = itemOf(each, checker)
      if (item !== undefined) return [item]
      // What is walked one by one says nothing of its items here; the list of the same request does.
      const isWalked = checker
        .getPropertiesOfType(each)
        .some(({ name }) => name.startsWith('__@asyncIterator'))
      return isWalked ? [] : [each]
    })
  })
}

function membersNamed(type: ts.Type, name: string, checker: ts.TypeChecker): ts.Type[] {
  return (type.isUnion() ? type.types : [type]).flatMap((part) => {
    const property = checker.getPropertyOfType(part, name)
    if (property === undefined) return []
    const found = checker.getTypeOfSymbol(property)
    return found.isUnion() ? found.types : [found]
  })
}

/** The item of a list: of an array, of what is called `data`, or of what `next()` brings. */
function itemOf(type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined {
  const own = checker.getIndexTypeOfType(type, ts.IndexKind.Number)
  if (own !== undefined && !(type.flags & ts.TypeFlags.StringLike)) return own
  const next = checker.getPropertyOfType(type, 'next')
  const [call] = next === undefined ? [] : checker.getTypeOfSymbol(next).getCallSignatures()
  const brought = call && checker.getAwaitedType(call.getReturnType())
  if (brought !== undefined) return checker.getIndexTypeOfType(brought, ts.IndexKind.Number)
  const [data] = membersNamed(type, 'data', checker)
  return data && checker.getIndexTypeOfType(data, ts.IndexKind.Number)
}

/** What a class is made of: the object as it comes. */
function madeOf(type: ts.Type, checker: ts.TypeChecker): ts.Type[] {
  return (type.isUnion() ? type.types : [type]).map((part) => {
    const symbol = part.getSymbol()
    const made = symbol && checker.getTypeOfSymbol(symbol).getConstructSignatures()[0]?.getParameters()[0]
    return made === undefined ? part : checker.getTypeOfSymbol(made)
  })
}

interface Judging {
  readonly checker: ts.TypeChecker
  readonly subject: Subject
}

/** What is wrong with a value of one of these types: nothing, or the faults by the type that it fits best. */
function faultsOf(value: unknown, types: readonly ts.Type[], judging: Judging, at = ''): string[] {
  const parts = types.flatMap((type) => (type.isUnion() ? type.types : [type]))
  const here = at === '' ? 'the answer' : at
  if (parts.some(({ flags }) => (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0)) return []
  const has = (flags: ts.TypeFlags): boolean => parts.some((part) => (part.flags & flags) !== 0)
  if (value === null)
    return has(ts.TypeFlags.Null) || judging.subject.mayBeNull?.test(at) ? [] : [`${here} is null`]
  switch (typeof value) {
    case 'string':
      return isText(value, parts) ? [] : [`${here} is ${wordOf(value, parts)}`]
    case 'number':
      return has(ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike) ? [] : [`${here} is a number`]
    case 'boolean':
      return has(ts.TypeFlags.BooleanLike) ? [] : [`${here} is ${value}`]
    default:
      return Array.isArray(value)
        ? faultsOfList(value, parts, judging, at)
        : faultsOfObject(value as Record<string, unknown>, parts, judging, at)
  }
}

// What a text becomes in some packages.
const madeOfText: ReadonlySet<string> = new Set(['Date', 'Decimal', 'DecimalImpl', 'RFCDate'])

function isText(value: string, parts: readonly ts.Type[]): boolean {
  if (parts.some((part) => part.isStringLiteral() && part.value === value)) return true
  return parts.some(
    (part) =>
      (part.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0 ||
      namesOf(part).some((name) => madeOfText.has(name)),
  )
}

function namesOf(type: ts.Type): string[] {
  return (type.isIntersection() ? type.types : [type]).map((part) => part.getSymbol()?.name ?? '')
}

function wordOf(value: string, parts: readonly ts.Type[]): string {
  return parts.some((part) => part.isStringLiteral()) ? `"${value}"` : 'a text'
}

function faultsOfList(
  list: readonly unknown[],
  parts: readonly ts.Type[],
  judging: Judging,
  at: string,
): string[] {
  const items = parts.flatMap((part) => judging.checker.getIndexTypeOfType(part, ts.IndexKind.Number) ?? [])
  if (items.length === 0) return [`${at} is a list`]
  return [...new Set(list.flatMap((item) => faultsOf(item, items, judging, `${at}[]`)))]
}

function faultsOfObject(
  value: Record<string, unknown>,
  parts: readonly ts.Type[],
  judging: Judging,
  at: string,
): string[] {
  const objects = parts.filter(
    (part) =>
      (part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.NonPrimitive)) !== 0 &&
      !namesOf(part).some((name) => madeOfText.has(name)),
  )
  const tries = objects.map((part) => faultsBy(value, part, judging, at))
  const [best] = tries.sort((a, b) => a.length - b.length)
  return best ?? [`${at === '' ? 'the answer' : at} is an object`]
}

// What packages add to what came.
const added: ReadonlySet<string> = new Set([
  'lastResponse',
  'headers',
  'httpStatusCode',
  'isIdempotencyReplayed',
])

function faultsBy(value: Record<string, unknown>, type: ts.Type, judging: Judging, at: string): string[] {
  const { checker, subject } = judging
  const isCamelCase = subject.isCamelCase === true && subject.readsAsItCame !== true
  const isPartial = subject.partial?.test(at) === true
  const named = new Map(
    Object.entries(value).map(([key, item]) => [isCamelCase ? camelCase(key) : key, item]),
  )
  const inner = (name: string): string => (at === '' ? name : `${at}.${name}`)
  const members = checker.getPropertiesOfType(type).filter((symbol) => !added.has(symbol.name))
  const faults = members.flatMap((symbol) => {
    const own = checker.getTypeOfSymbol(symbol)
    const isHidden =
      ts.getCombinedModifierFlags(symbol.valueDeclaration ?? ({} as ts.Declaration)) &
      (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
    if (
      isHidden ||
      own.getCallSignatures().length > 0 ||
      symbol.name === 'length' ||
      symbol.name.startsWith('__@')
    )
      return []
    if (named.has(symbol.name)) return faultsOf(named.get(symbol.name), [own], judging, inner(symbol.name))
    const parts = own.isUnion() ? own.types : [own]
    const mayLack =
      isPartial ||
      (symbol.flags & ts.SymbolFlags.Optional) !== 0 ||
      parts.some(
        ({ flags }) => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0,
      )
    return mayLack ? [] : [`${inner(symbol.name)} is not there`]
  })
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type
  if (index === undefined) return faults
  const known = new Set(members.map(({ name }) => name))
  return [
    ...faults,
    ...Object.entries(value).flatMap(([key, item]) =>
      known.has(key) ? [] : faultsOf(item, [index], judging, inner('*')),
    ),
  ]
}
