/** Compares an adapter with an official package: requests, words and events. */
import ts from 'typescript'
import type { Operation, Sdk, SdkLayout, Taken } from './sdk.ts'
import type { Field, Sent } from './sent.ts'

/** An adapter as it is compared. A reason is a sentence that says why a difference is right. */
export interface Subject {
  readonly sdk: SdkLayout
  /** What our requests have before the package's paths. */
  readonly base?: string
  /** What the package's paths have before those of our source. */
  readonly root?: string
  /** The package writes `priceId` for `price_id`. */
  readonly isCamelCase?: boolean
  /** The field as the package's functions take it; null for one that the package itself writes. */
  readonly fieldOf?: (steps: readonly string[]) => readonly string[] | null
  /** Requests and fields that are sent although the package does not have them, as the report names them. */
  readonly beyond: Readonly<Record<string, string>>
  /** Where the package's functions hold what came. */
  readonly givenAs?: string
  /** Answers come through with their own names. */
  readonly readsAsItCame?: boolean
  /** The package's classes are made of the object as it comes. */
  readonly isMadeOfAnswer?: boolean
  /** Fields in which not everything needs to be, though the package says so. */
  readonly partial?: RegExp
  /** Fields that are null where they are empty, by the provider's documentation, and missing by the package. */
  readonly mayBeNull?: RegExp
  /** The objects in an answer, where the package gives them without what is around them. */
  readonly objectsIn?: (body: unknown) => readonly unknown[]
  /** False for what a test answers by itself. */
  readonly isOfFake?: (object: unknown) => boolean
  /** What the fake server shows otherwise than the package's types say, as the report names it. */
  readonly shown?: Readonly<Record<string, string>>
  readonly words: readonly Words[]
  /** Null where the package names no events. */
  readonly events: Events | null
}

/** The words of a status or of another list of words that the reader understands. */
export interface Words {
  readonly of: string
  /** The package's type, as TypeScript. */
  readonly type: string
  readonly known: Iterable<string>
  /** Words of the package that are left to the default, each with a reason. */
  readonly left?: Readonly<Record<string, string>>
  /** Words that are read although the package does not have them, each with a reason. */
  readonly beyond?: Readonly<Record<string, string>>
}

export interface Events {
  /** The package's type of an event's name, as TypeScript. */
  readonly type: string
  readonly handles: (type: string) => boolean
  /** Names that the site needs or that the reader lists. */
  readonly known: Iterable<string>
  /** A reason, and the events for which it holds, with spaces between them. */
  readonly ignored: Readonly<Record<string, string>>
  /** Events that are read although the package does not name them, each with a reason. */
  readonly beyond?: Readonly<Record<string, string>>
}

/**
 * `new`: the package has what the adapter does not know. `gone`: the adapter uses what the package does not
 * have. `different`: both have it, in another form.
 */
export interface Difference {
  readonly kind: 'new' | 'gone' | 'different'
  readonly what: string
}

/** What was compared, and what differs. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /**
   * Requests that stand in the source and that no test made the adapter send: of their bodies only the names
   * at the top are compared.
   */
  readonly unsent: readonly string[]
  readonly requests: number
  readonly fields: number
  readonly words: number
  readonly events: number
}

/** The types that a comparison asks the package for. */
export function typesOf({ words, events }: Subject): string[] {
  return [...words.map(({ type }) => type), ...(events === null ? [] : [events.type])]
}

/** Compares everything. Each difference is named once. */
export function compare(subject: Subject, sdk: Sdk, sent: readonly Sent[]): Comparison {
  const requests = compareRequests(subject, sdk, sent)
  const words = subject.words.map((each) => compareWords(each, sdk))
  const events = subject.events === null ? null : compareEvents(subject.events, sdk)
  const found = [...requests.differences, ...words.flatMap(({ differences }) => differences)]
  return {
    unsent: requests.unsent,
    requests: requests.requests,
    fields: requests.fields,
    words: words.reduce((sum, { count }) => sum + count, 0),
    events: events?.count ?? 0,
    differences: [
      ...new Map(
        [...found, ...(events?.differences ?? [])].map((each) => [`${each.kind} ${each.what}`, each]),
      ).values(),
    ],
  }
}

function compareRequests(subject: Subject, sdk: Sdk, sent: readonly Sent[]) {
  const { base = '', root = '', beyond, fieldOf = (steps) => steps } = subject
  const differences: Difference[] = []
  const [requests, sentNames] = [new Set<string>(), new Set<string>()]
  const [fields, excused] = [new Set<string>(), new Set<string>()]
  const report = (kind: Difference['kind'], what: string): void => {
    if (Object.hasOwn(beyond, what)) excused.add(what)
    else differences.push({ kind, what })
  }
  const excuses = Object.keys(beyond)
  for (const { method, path: whole, fields: given, isWritten } of sent) {
    // The beginning of every address is no request by itself.
    if (isWritten && whole === base) continue
    const path = whole.startsWith(base) ? whole.slice(base.length) : whole
    const rooted = path.startsWith(root) ? path : `${root}${path}`
    const matching = operationsAt(sdk.operations, rooted)
    const operations = matching.filter((operation) => method === '*' || operation.method === method)
    const [first = matching[0]] = operations
    // A request that is only written somewhere reads, where nobody says otherwise.
    const verb = method === '*' ? (first?.method ?? 'GET') : method
    const name =
      first === undefined
        ? (excuses.find((excuse) => isAt(excuse, verb, rooted)) ?? `${verb} ${withoutIds(rooted)}`)
        : `${verb} ${stepsOf(first.path).join('/')}`
    // The source may leave the last step open: which of several requests it is, it does not say.
    const isOne = new Set(matching.map(({ path: place }) => place)).size < 2
    if (isOne || !isWritten) requests.add(name)
    if (!isWritten) sentNames.add(name)
    if (first === undefined) report('gone', name)
    else if (operations.length === 0)
      report('different', `${name}: the package has ${matching.map((it) => it.method).join(', ')} there`)
    else
      for (const field of given) {
        const steps = fieldOf(field.steps)
        if (steps === null) continue
        const what = `${name}: ${field.place} ${field.steps.join('.')}`
        fields.add(what)
        const types = typesAt(
          operations.flatMap(({ takes }) => takes),
          steps.map((step) => (subject.isCamelCase ? camelCase(step) : step)),
          sdk.checker,
        )
        if (types === null) report('gone', what)
        else if (!mayBe(types, field)) report('different', `${what} = ${JSON.stringify(field.value)}`)
      }
  }
  for (const what of Object.keys(beyond))
    if (!excused.has(what))
      differences.push({ kind: 'different', what: `"${what}" needs no reason any more` })
  const unsent = [...requests].filter((name) => !sentNames.has(name))
  return { differences, unsent, requests: requests.size, fields: fields.size }
}

/** True if a request is the one of a reason, `GET /payments/{}`. */
function isAt(excuse: string, method: string, path: string): boolean {
  const [verb, place = ''] = excuse.split(' ')
  return verb === method && stepsMatch(stepsOf(place), stepsOf(path))
}

function stepsMatch(own: readonly string[], steps: readonly string[]): boolean {
  return (
    own.length === steps.length &&
    own.every((step, i) => step === steps[i] || step === '{}' || steps[i] === '{}')
  )
}

export function stepsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}

// Ids have digits or capitals, or are what a test calls its own.
function withoutIds(path: string): string {
  return stepsOf(path)
    .map((step) => (/^v\d$/.test(step) || /^[a-z_-]*$/.test(step) ? step : '{}'))
    .join('/')
}

/** The operations of a path. Steps that are written out go before ids; `{}` in ours is any step. */
export function operationsAt(operations: readonly Operation[], path: string): Operation[] {
  const steps = stepsOf(path)
  const places = operations
    .map((operation) => ({ operation, own: stepsOf(operation.path) }))
    .filter(({ own }) => stepsMatch(own, steps))
    .map(({ operation, own }) => ({
      operation,
      written: own.filter((step, i) => step === steps[i]).length,
    }))
  const most = Math.max(0, ...places.map(({ written }) => written))
  return places.filter(({ written }) => written === most).map(({ operation }) => operation)
}

export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * The types of a field in what a function takes: beside the others, or in its `body`. Null where nothing has
 * it; an empty list where anything may stand there.
 */
function typesAt(
  takes: readonly Taken[],
  steps: readonly string[],
  checker: ts.TypeChecker,
): ts.Type[] | null {
  const [first, ...rest] = steps
  const places = takes.flatMap(({ name, type }) => {
    const body = partsOf(type, checker).flatMap((part) => memberOf(part, 'body', checker) ?? [])
    return [
      ...[type, ...body].map((from) => walk([from], steps, checker)),
      ...(name === first ? [walk([type], rest, checker)] : []),
    ]
  })
  const found = places.filter((types) => types !== null)
  if (found.length === 0) return null
  return found.some((types) => types.length === 0) ? [] : found.flat()
}

function walk(from: readonly ts.Type[], steps: readonly string[], checker: ts.TypeChecker): ts.Type[] | null {
  const parts = from.flatMap((type) => partsOf(type, checker))
  if (parts.some(isOpen)) return []
  const [step, ...rest] = steps
  if (step === undefined) return parts
  // Some packages write `created_at[GTE]` as one name.
  const [next, ...others] = rest
  const joined = parts.flatMap((part) => memberOf(part, `${step}[${next}]`, checker) ?? [])
  if (joined.length > 0) return walk(joined, others, checker)
  const members = parts.flatMap((part) => memberOf(part, step, checker) ?? [])
  return members.length === 0 ? null : walk(members, rest, checker)
}

function isOpen(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0
}

/** The members of a union; of a list, those of its items. */
function partsOf(type: ts.Type, checker: ts.TypeChecker): ts.Type[] {
  if (type.isUnion()) return type.types.flatMap((part) => partsOf(part, checker))
  if (checker.isArrayType(type))
    return checker.getTypeArguments(type as ts.TypeReference).flatMap((item) => partsOf(item, checker))
  return type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null) ? [] : [type]
}

function memberOf(type: ts.Type, name: string, checker: ts.TypeChecker): ts.Type | null {
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
  if (!isObject) return null
  const property = checker.getPropertyOfType(type, name)
  if (property !== undefined) return checker.getTypeOfSymbol(property)
  return checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type ?? null
}

/** True if a field of these types may have the value. */
function mayBe(types: readonly ts.Type[], { value, isForm }: Field): boolean {
  if (types.length === 0 || value === undefined || value === null) return true
  const named = types.flatMap((type) => (type.isStringLiteral() ? [type.value] : []))
  const has = (flags: ts.TypeFlags): boolean => types.some((type) => (type.flags & flags) !== 0)
  const isText = has(ts.TypeFlags.String)
  const isObject = has(ts.TypeFlags.Object | ts.TypeFlags.Intersection)
  if (isForm) {
    const words = String(value).split(',')
    if (named.length === 0 || isText || words.every((word) => named.includes(word))) return true
    return words.every((word) => word !== '' && !Number.isNaN(Number(word))) && has(ts.TypeFlags.NumberLike)
  }
  switch (typeof value) {
    case 'string':
      // A moment is a `Date` in some packages.
      return named.includes(value) || isText || (named.length === 0 && isObject)
    case 'number':
      return has(ts.TypeFlags.NumberLike)
    case 'boolean':
      return has(ts.TypeFlags.BooleanLike)
    default:
      return isObject
  }
}

function compareWords({ of, type, known, left = {}, beyond = {} }: Words, sdk: Sdk) {
  const words = sdk.wordsOf(type)
  if (words === null)
    return {
      count: 0,
      differences: [{ kind: 'gone', what: `${of}: the type ${type}` }] satisfies Difference[],
    }
  const ours = new Set(known)
  const differences: Difference[] = [
    ...words
      .filter((word) => !ours.has(word) && !Object.hasOwn(left, word))
      .map((word) => ({ kind: 'new' as const, what: `${of}: "${word}"` })),
    ...[...ours, ...Object.keys(left)]
      .filter((word) => !words.includes(word) && !Object.hasOwn(beyond, word))
      .map((word) => ({ kind: 'gone' as const, what: `${of}: "${word}"` })),
    ...Object.keys(beyond)
      .filter((word) => words.includes(word))
      .map((word) => ({ kind: 'different' as const, what: `${of}: "${word}" needs no reason any more` })),
  ]
  return { count: words.length, differences }
}

function compareEvents({ type, handles, known, ignored, beyond = {} }: Events, sdk: Sdk) {
  const named = sdk.wordsOf(type)
  if (named === null)
    return {
      count: 0,
      differences: [{ kind: 'gone', what: `events: the type ${type}` }] satisfies Difference[],
    }
  const left = new Set(Object.values(ignored).flatMap((names) => names.split(/\s+/)))
  const differences: Difference[] = [
    ...named
      .filter((event) => !handles(event) && !left.has(event))
      .map((event) => ({ kind: 'new' as const, what: `event ${event}` })),
    ...[...known, ...left]
      .filter((event) => !named.includes(event) && !Object.hasOwn(beyond, event))
      .map((event) => ({ kind: 'gone' as const, what: `event ${event}` })),
    ...[...left]
      .filter((event) => handles(event))
      .map((event) => ({
        kind: 'different' as const,
        what: `event ${event} is handled, and listed as ignored`,
      })),
    ...[...known]
      .filter((event) => !handles(event))
      .map((event) => ({
        kind: 'different' as const,
        what: `event ${event} is listed as handled, and is not`,
      })),
    ...Object.keys(beyond)
      .filter((event) => named.includes(event))
      .map((event) => ({ kind: 'different' as const, what: `event ${event} needs no reason any more` })),
  ]
  return { count: named.length, differences }
}
