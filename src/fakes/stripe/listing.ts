import { invalid, missing } from './errors.ts'
import { createReader, type Reader } from './params.ts'

export interface Page<T> {
  readonly data: readonly T[]
  readonly has_more: boolean
}
interface Listed {
  readonly id: string
  readonly created?: unknown
}

/** Parameters that every list accepts. https://docs.stripe.com/api/pagination */
export const pageParams = ['limit', 'starting_after', 'ending_before', 'created', 'expand']

/** Returns one page, newest first, from a list that is sorted oldest first. */
export function toPage<T extends Listed>(all: readonly T[], params: Reader, what: string): Page<T> {
  const limit = params.int('limit') ?? 10
  if (limit < 1 || limit > 100)
    throw invalid('This value must be between 1 and 100.', 'limit', 'parameter_invalid_integer')
  const [after, before] = [params.text('starting_after'), params.text('ending_before')]
  if (after !== undefined && before !== undefined)
    throw invalid(
      'You may only specify one of these parameters: starting_after, ending_before.',
      'starting_after',
    )
  const newest = all.filter(inRange(params)).reverse()
  const place = (id: string, name: string): number => {
    const at = newest.findIndex((item) => item.id === id)
    if (at < 0) throw missing(what, id, name)
    return at
  }
  if (before !== undefined) {
    const end = place(before, 'ending_before')
    return { data: newest.slice(Math.max(0, end - limit), end), has_more: end > limit }
  }
  const start = after === undefined ? 0 : place(after, 'starting_after') + 1
  return { data: newest.slice(start, start + limit), has_more: newest.length > start + limit }
}

function inRange(params: Reader): (listed: Listed) => boolean {
  const given = params.raw('created')
  if (given === undefined) return () => true
  if (typeof given === 'string') {
    const at = params.int('created')
    return ({ created }) => created === at
  }
  const range = createReader(given, 'created')
  range.only('gt', 'gte', 'lt', 'lte')
  const [gt, gte, lt, lte] = [range.int('gt'), range.int('gte'), range.int('lt'), range.int('lte')]
  return ({ created }) => {
    const at = Number(created)
    return !(
      (gt !== undefined && at <= gt) ||
      (gte !== undefined && at < gte) ||
      (lt !== undefined && at >= lt) ||
      (lte !== undefined && at > lte)
    )
  }
}
