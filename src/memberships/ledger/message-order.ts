import { msOf } from '../../core/dto/index.ts'
import type { Stage } from '../../providers/contract.ts'

/** The evidence that one snapshot brings: enough to order it among others of the same moment. */
export interface Mark {
  /** {@link markId} */
  readonly id: string
  /** The digest of the content. */
  readonly digest: string
  /** Digest of the content before this message, where the message tells. */
  readonly follows: string | null
  readonly stage: Stage
  /** A later status in an object's life has the higher rank: decides where evidence does not. */
  readonly rank: number
  readonly source: 'event' | 'fetch'
}

/**
 * The id of a mark. Each of several changes that follow each other counts, and each answer: those have their
 * message's id. Any other is evidence once, under no id, since every message of a customer may carry one and the
 * same copy of an object that it mentions: a copy that stands in a row already is written no more.
 */
export const markId = ({ id, source }: Pick<Mark, 'id' | 'source'>, follows: string | null = null): string =>
  source === 'event' && follows === null ? '' : id

/** Everything that is kept of one object's history: its two newest moments. */
export interface History<T> {
  readonly at: string
  readonly marks: readonly Mark[]
  /** Contents of the newest moment, by digest. */
  readonly contents: Readonly<Record<string, T>>
  readonly prior: Moment | null
  /** The answer that `answerStands` speaks of, else null. */
  readonly answer: T | null
}

/** All messages of one moment, and what each left as evidence of its place. */
export interface Moment {
  readonly at: string
  readonly marks: readonly Mark[]
}

/** Which content stands, and whether the evidence decided it. */
export interface MessageRank {
  readonly digest: string
  readonly contested: boolean
}

/** An answer to our own call may or may not include what happened within these milliseconds after its moment. */
export const fetchWindowMs = 2000

/**
 * Joins two histories of one object. Commutative, associative and idempotent, so that the result is a function of the
 * set of snapshots: it keeps the two newest moments and, of the newest, every content. An answer before it is kept while
 * it stands; once it does not, no further snapshot of these two moments lets it.
 */
export const joinHistories = <T>(a: History<T>, b: History<T>): History<T> => {
  const joined = joinNewest(a, b)
  return {
    ...joined,
    answer: answerStands(joined) ? (answerIn(a, joined.prior) ?? answerIn(b, joined.prior)) : null,
  }
}

const joinNewest = <T>(a: History<T>, b: History<T>): Omit<History<T>, 'answer'> => {
  const [newer, older] = a.at >= b.at ? [a, b] : [b, a]
  if (newer.at === older.at)
    return {
      at: newer.at,
      marks: joinMarks(newer.marks, older.marks),
      contents: joinContents(newer.contents, older.contents),
      prior: joinMoments(newer.prior, older.prior),
    }
  return { ...newer, prior: joinMoments(newer.prior, { at: older.at, marks: older.marks }) }
}

const answerIn = <T>(history: History<T>, { at, marks: [mark] }: Moment): T | null => {
  if (history.at === at) return history.contents[mark!.digest] ?? null
  return history.prior?.at === at ? history.answer : null
}

/**
 * True if an answer to our own call stands although messages within its window are newer: those say only how the
 * object began, and whoever was answered about it knows more. So what a return page opened before the webhooks came
 * stays open.
 */
export const answerStands = <T>(
  history: Pick<History<T>, 'at' | 'marks' | 'prior'>,
): history is { readonly at: string; readonly marks: readonly Mark[]; readonly prior: Moment } => {
  const { at, marks, prior } = history
  if (prior === null || prior.marks.length !== 1 || !isInFetchWindow(at, prior)) return false
  return marks.every((m) => m.stage === 'created' && m.source === 'event')
}

// Contents of one digest may differ in the order of their keys: the lesser text stays, so that the rows are equal too.
const joinContents = <T>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
): Record<string, T> => {
  const joined = { ...a, ...b }
  for (const [digest, content] of Object.entries(a))
    if (digest in b && JSON.stringify(content) < JSON.stringify(b[digest])) joined[digest] = content
  return joined
}

const joinMoments = (a: Moment | null, b: Moment | null): Moment | null => {
  if (a === null || b === null) return a ?? b
  if (a.at === b.at) return { at: a.at, marks: joinMarks(a.marks, b.marks) }
  return a.at > b.at ? a : b
}

const joinMarks = (a: readonly Mark[], b: readonly Mark[]): Mark[] => {
  const known = new Map<string, Mark>()
  for (const mark of [...a, ...b]) {
    const key = evidenceOf(mark)
    const same = known.get(key)
    if (same === undefined || mark.id < same.id) known.set(key, mark)
  }
  const placed = [...known].map(([key, mark]) => [`${placeOf(mark)} ${key}`, mark] as const)
  return placed.sort(([x], [y]) => (x < y ? -1 : 1)).map(([, mark]) => mark)
}

// What an earlier version wrote under an id is the same evidence as under none, which is the lesser and stands.
const evidenceOf = (mark: Mark): string =>
  mark.source === 'event' && mark.follows === null
    ? `${mark.stage} ${mark.rank} ${mark.digest}`
    : `${mark.source} ${placeOf(mark)}`

const placeOf = ({ id, digest }: Mark): string => `${id} ${digest}`

/** The content that stands in a history: a pure function of it. */
export const standing = <T>(history: Pick<History<T>, 'at' | 'marks' | 'prior'>): MessageRank => {
  const { at, marks, prior } = history
  if (answerStands(history)) {
    const { digest } = history.prior.marks[0]!
    return { digest, contested: marks.some((m) => m.digest !== digest) }
  }
  // Inside its window an answer may show the midst of this moment: it does not tell where the moment began.
  const saysStart = prior !== null && !isInFetchWindow(at, prior)
  const start = saysStart ? resolve(prior.marks, null).digest : null
  const decided = resolve(marks, start)
  return {
    digest: decided.digest,
    contested: decided.contested || insideFetchWindow(at, marks, prior, decided.digest),
  }
}

// An event soon after an answer to our own call: the answer may have been the later of the two.
const insideFetchWindow = (
  at: string,
  marks: readonly Mark[],
  prior: Moment | null,
  digest: string,
): boolean => {
  if (prior === null || marks.some((m) => m.source === 'fetch')) return false
  return isInFetchWindow(at, prior) && resolve(prior.marks, null).digest !== digest
}

const isInFetchWindow = (at: string, prior: Moment): boolean =>
  prior.marks.some((m) => m.source === 'fetch') && msOf(at) - msOf(prior.at) <= fetchWindowMs

const resolve = (marks: readonly Mark[], start: string | null): MessageRank => {
  const answers = marks.filter((m) => m.source === 'fetch')
  if (answers.length > 0) return { digest: last(answers).digest, contested: distinct(answers) > 1 }
  if (distinct(marks) === 1) return { digest: marks[0]!.digest, contested: false }

  const created = marks.filter((m) => m.stage === 'created')
  const deleted = marks.filter((m) => m.stage === 'deleted')
  const updated = marks.filter((m) => m.stage === 'updated')
  // Deleted comes last, unless the id was made anew in the same second, or what was deleted was changed once more.
  if (deleted.length > 0) {
    const { digest } = last(deleted)
    const wentOn = created.length > 0 || updated.some((m) => m.follows === digest && m.digest !== digest)
    return { digest, contested: wentOn || distinct(deleted) > 1 }
  }
  if (distinct(updated) === 1) return { digest: updated[0]!.digest, contested: false }
  const end = endOfChain(updated, created.length > 0 ? last(created).digest : start)
  if (end !== null) return { digest: end, contested: false }
  return { digest: last(updated.length > 0 ? updated : marks).digest, contested: true }
}

/**
 * Finds the end of a chain of changes that uses each message once: each leads from the content it follows to its
 * own. An open chain has one end; a closed one (cancelled and resumed within a second) ends where it started.
 */
const endOfChain = (marks: readonly Mark[], start: string | null): string | null => {
  const balance = new Map<string, number>()
  const moves: [string, string][] = []
  for (const { follows, digest } of marks) {
    if (follows === null) return null
    // A change of something that we do not keep.
    if (follows === digest) continue
    moves.push([follows, digest])
    balance.set(follows, (balance.get(follows) ?? 0) - 1)
    balance.set(digest, (balance.get(digest) ?? 0) + 1)
  }
  if (!isConnected(moves) || marks.some((m) => !balance.has(m.digest))) return null
  const ends = [...balance].filter(([, n]) => n > 0)
  if (ends.length === 0) return start !== null && balance.has(start) ? start : null
  return ends.length === 1 && ends[0]![1] === 1 ? ends[0]![0] : null
}

const isConnected = (moves: readonly [string, string][]): boolean => {
  const reached = new Set(moves[0])
  for (let grew = true; grew; ) {
    grew = false
    for (const [from, to] of moves)
      if (reached.has(from) !== reached.has(to)) {
        reached.add(from).add(to)
        grew = true
      }
  }
  return moves.every(([from]) => reached.has(from))
}

const distinct = (marks: readonly Mark[]): number => new Set(marks.map((m) => m.digest)).size

// By rank, then by digest: arbitrary, but the same everywhere.
const last = (marks: readonly Mark[]): Mark =>
  marks.reduce((a, b) => (b.rank > a.rank || (b.rank === a.rank && b.digest > a.digest) ? b : a))
