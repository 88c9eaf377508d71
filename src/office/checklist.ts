/** One check of the doctor, with its result. */
export interface CheckLine {
  readonly status: string
  readonly topic: string
  readonly what: string
  readonly fix: string | null
}

/** The doctor's checks as a checklist: by topic, with the open ones first in each. */
export interface Checklist {
  readonly done: number
  readonly count: number
  readonly topics: readonly {
    readonly topic: string
    readonly done: number
    readonly lines: readonly CheckLine[]
  }[]
}

/** Builds the checklist. A skipped check counts neither as done nor as open. Pure. */
export function checklistOf(checks: readonly CheckLine[]): Checklist {
  return {
    done: doneOf(checks),
    count: checks.filter(({ status }) => status !== 'skipped').length,
    topics: [...new Set(checks.map(({ topic }) => topic))].map((topic) => {
      const lines = checks.filter((check) => check.topic === topic)
      return { topic, done: doneOf(lines), lines: [...lines].sort((a, b) => rankOf(a) - rankOf(b)) }
    }),
  }
}

function doneOf(checks: readonly CheckLine[]): number {
  return checks.filter(({ status }) => status === 'ok').length
}

const order = ['problem', 'warning', 'skipped', 'ok']
function rankOf({ status }: CheckLine): number {
  return order.indexOf(status)
}
