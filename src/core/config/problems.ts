import { MembershipError } from '../errors.ts'

/** One problem of a configuration, and its fix. */
export interface Problem {
  readonly text: string
  readonly action?: string
}

/** Collects problems, so that a site developer sees all of them at once. */
export interface Problems {
  add(text: string, action?: string): void
  readonly count: number
  /** @throws ERR_CONFIG with one line per problem, if there is any */
  throwIfAny(): void
}

/** Starts without problems. The same text counts once, and each piece of advice appears once in the error. */
export const createProblems = (): Problems => {
  const found = new Map<string, Problem>()
  return {
    add: (text, action) => void (found.has(text) || found.set(text, { text, action })),
    get count() {
      return found.size
    },
    throwIfAny: () => {
      if (found.size === 0) return
      const all = [...found.values()]
      const actions = new Set(all.flatMap((problem) => problem.action ?? []))
      throw new MembershipError('ERR_CONFIG', all.map((problem) => problem.text).join('\n'), {
        action: [...(actions.size ? actions : ['Correct the configuration and start again.'])].join('\n'),
      })
    },
  }
}
