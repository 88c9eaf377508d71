/** One thing that was looked at, as the doctor says it. */
export interface CheckLine {
  readonly status: string
  readonly topic: string
  readonly what: string
  readonly fix: string | null
}

/** A list to be worked off of everything that was looked at: by topic, and in each first what is to be done. */
export interface Checklist {
  readonly done: number
  readonly count: number
  readonly topics: readonly {
    readonly topic: string
    readonly done: number
    readonly lines: readonly CheckLine[]
  }[]
}

/** Ticks what is well; what was not looked at is neither done nor to do. Pure. */
export const checklistOf = (checks: readonly CheckLine[]): Checklist => ({
  done: doneOf(checks),
  count: checks.filter(({ status }) => status !== 'skipped').length,
  topics: [...new Set(checks.map(({ topic }) => topic))].map((topic) => {
    const lines = checks.filter((check) => check.topic === topic)
    return { topic, done: doneOf(lines), lines: [...lines].sort((a, b) => rankOf(a) - rankOf(b)) }
  }),
})

const doneOf = (checks: readonly CheckLine[]): number => checks.filter(({ status }) => status === 'ok').length

const order = ['problem', 'warning', 'skipped', 'ok']
const rankOf = ({ status }: CheckLine): number => order.indexOf(status)
