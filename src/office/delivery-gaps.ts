/** A time in which nothing arrived from an account that otherwise does; `until` null: it still lasts. */
export interface Gap {
  readonly provider: string
  readonly account: string
  readonly from: string
  readonly until: string | null
  readonly hours: number
}

/** When something arrived, and from where. */
export interface Arrived {
  readonly provider: string
  readonly account: string
  readonly received_at: string
}

const hourMs = 3_600_000
const leastMs = 6 * hourMs
/** Beside what is usual of an account. */
const unusual = 4
const most = 5

/** The newest gaps: six hours at least, and several times as long as is usual there. Pure. */
export const gapsOf = (arrived: readonly Arrived[], now: Date): Gap[] => {
  const places = new Map<string, Arrived[]>()
  for (const item of arrived) {
    const key = `${item.provider}\u0000${item.account}`
    const own = places.get(key) ?? []
    own.push(item)
    places.set(key, own)
  }
  return [...places.values()]
    .flatMap((own) => gapsOfPlace(own, now))
    .sort((a, b) => (a.from < b.from ? 1 : -1))
    .slice(0, most)
}

const gapsOfPlace = (own: readonly Arrived[], now: Date): Gap[] => {
  const sorted = [...own].sort((a, b) => (a.received_at < b.received_at ? -1 : 1))
  const ends = [...sorted.slice(1).map(({ received_at }) => received_at), null]
  const gaps = sorted.map(({ provider, account, received_at: from }, i) => {
    const until = ends[i] ?? null
    return {
      provider,
      account,
      from,
      until,
      ms: (until ? Date.parse(until) : now.getTime()) - Date.parse(from),
    }
  })
  const usual = gaps.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  return gaps
    .filter(({ ms }) => ms >= Math.max(leastMs, gaps.length < few ? 0 : usual * unusual))
    .map(({ ms, ...gap }) => ({ ...gap, hours: Math.floor(ms / hourMs) }))
}

/** Below this number nobody can say what is usual. */
const few = 8
