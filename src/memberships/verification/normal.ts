import { formerOf, noteFormer } from '../../core/dto/former.ts'
import type { FineMoment } from '../../core/dto/index.ts'
import type { Change, MoneyFact, SubscriptionSnapshot } from '../../providers/snapshots.ts'

/**
 * Normalises a moment to milliseconds in UTC; null for anything else. Providers use many widths and offsets, and
 * moments are compared as text: `…36.95Z` sorts before `…36.9Z`, and `…36Z` after both. A moment without an offset
 * counts as UTC, because the local clock would differ by machine.
 */
export function normalMoment(text: string): string | null {
  // Nearly all moments arrive in this form. Building a Date would take longer than all other work on them.
  if (isMillisecond(text)) return text
  if (isPlain.test(text)) return text.length === 20 ? `${text.slice(0, 19)}.000Z` : `${text.slice(0, 23)}Z`
  const ms = Date.parse(
    /\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) && !hasOffset.test(text) ? `${text}Z` : text,
  )
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
// In UTC, to the second, the millisecond or finer, on a day that every month has.
const isPlain =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3,})?Z$/
function isMillisecond(text: string | null | undefined): boolean {
  return text == null || (text.length === 24 && text[19] === '.' && text.endsWith('Z'))
}
const hasOffset = /[+-]\d\d:?\d\d$/

/** Normalises a moment that orders events and keeps all its digits, so that two of one millisecond stay in order. */
export function fineMoment(text: string): FineMoment | null {
  if (isFine.test(text)) return text
  const millisecond = normalMoment(text)
  const beyond = (/\.\d{3}(\d{1,6})/.exec(text)?.[1] ?? '').padEnd(6, '0')
  return millisecond === null || beyond === '000000' ? millisecond : `${millisecond}${beyond}`
}
const isFine = /^.{19}\.\d{3}Z(?:\d{6})?$/

/**
 * Normalises changes for the ledger. Moments get one width, and an event that cannot state its mode gets the given one.
 * A subscription's contact becomes a customer, once even if several objects carry it. Data already in this form is not
 * copied.
 */
export function normalChanges(changes: readonly Change[], livemode: boolean): Change[] {
  return oneCopyEach(changes.flatMap((change) => normalChange(change, livemode)))
}

function oneCopyEach(changes: Change[]): Change[] {
  const customers = new Map<string, Change>()
  let count = 0
  for (const change of changes) {
    if (change.type !== 'customer') continue
    customers.set(change.id, change)
    count++
  }
  if (customers.size === count) return changes
  return changes.filter((change) => change.type !== 'customer' || customers.get(change.id) === change)
}

/** The mode that a change states; null where it states none. */
export function modeOf(change: Change): boolean | null {
  return change.type === 'touch' ? null : (change.data.livemode ?? null)
}

function normalChange(change: Change, livemode: boolean): Change[] {
  if (change.type === 'touch') return [change]
  if (change.type === 'money') return [inTime({ ...change, data: normalMoney({ ...change.data }, livemode) })]
  if (change.type === 'customer')
    return [inTime({ ...change, data: normalData({ ...change.data }, [], livemode) })]
  const data = normalSubscription(change.data, livemode)
  const former = formerOf(change.data)
  if (former !== undefined) noteFormer(data, normalSubscription(former, livemode))
  const { before, contact } = change
  const normal = inTime(
    before !== undefined
      ? { ...change, data, before: normalSubscription(before, livemode) }
      : data === change.data
        ? change
        : { ...change, data },
  )
  const id = data.customer_id
  if (contact === undefined || id === null) return [normal]
  const customer = { id, ...contact, deleted: false, livemode: data.livemode ?? livemode }
  const { at } = normal
  return [
    normal,
    { type: 'customer', id, stage: 'updated', data: customer, ...(at === undefined ? {} : { at }) },
  ]
}

function inTime<T extends { readonly at?: string }>(change: T): T {
  if (change.at === undefined) return change
  const at = fineMoment(change.at)
  if (at === change.at) return change
  if (at !== null) return { ...change, at }
  const { at: _, ...rest } = change
  return rest as T
}

const moneyMoments = ['paid_at', 'period_start', 'period_end', 'due_date', 'failed_at'] as const
const billed = ['period_start', 'period_end'] as const

function normalMoney(copy: Writable<MoneyFact>, livemode: boolean): MoneyFact {
  const normal = normalData(copy, moneyMoments, livemode)
  if (normal.items?.some((item) => !isMillisecond(item.period_start) || !isMillisecond(item.period_end)))
    normal.items = normal.items.map((item) => withMoments({ ...item }, billed))
  return normal
}

const moments = [
  'started_at',
  'trial_ends_at',
  'current_period_start',
  'current_period_end',
  'cancel_at',
  'canceled_at',
  'ended_at',
  'paused_at',
  'resumes_at',
] as const
const periods = ['current_period_start', 'current_period_end'] as const

function normalSubscription(given: SubscriptionSnapshot, livemode: boolean): SubscriptionSnapshot {
  if (given.livemode !== undefined && isNormal(given)) return given
  const normal: Writable<SubscriptionSnapshot> = normalData({ ...given }, moments, livemode)
  normal.items = given.items.map((item) => withMoments({ ...item }, periods))
  const { scheduled_change: planned } = given
  if (planned) {
    const at = normalMoment(planned.at)
    normal.scheduled_change = at === null ? null : { ...planned, at }
  }
  return normal
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

// Each name is written out, because nearly every event is normal and passes here. A list of names takes V8 ten times as
// long.
function isNormal(data: SubscriptionSnapshot): boolean {
  return (
    isMillisecond(data.started_at) &&
    isMillisecond(data.trial_ends_at) &&
    isMillisecond(data.current_period_start) &&
    isMillisecond(data.current_period_end) &&
    isMillisecond(data.cancel_at) &&
    isMillisecond(data.canceled_at) &&
    isMillisecond(data.ended_at) &&
    isMillisecond(data.paused_at) &&
    isMillisecond(data.resumes_at) &&
    isMillisecond(data.scheduled_change?.at) &&
    data.items.every(
      (item) => isMillisecond(item.current_period_start) && isMillisecond(item.current_period_end),
    )
  )
}

// V8 copies a single spread object as it is; building it from several takes ten times as long. The keys keep their
// order, which digests depend on.
function normalData<T extends { livemode?: boolean }>(
  copy: T,
  names: readonly (keyof T)[],
  livemode: boolean,
): T {
  const normal = withMoments(copy, names)
  if (normal.livemode === undefined) normal.livemode = livemode
  return normal
}

function withMoments<T extends object>(copy: T, names: readonly (keyof T)[]): T {
  for (const name of names) {
    const text = copy[name]
    if (typeof text === 'string') copy[name] = normalMoment(text) as T[keyof T]
  }
  return copy
}
