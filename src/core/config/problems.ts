import { MembershipError } from '../errors.ts'

/** One thing that is wrong with a configuration, in a sentence, and what to do about it. */
export interface Problem {
  readonly text: string
  readonly action?: string
}

/** Collects what is wrong, so that a site developer sees everything at once. */
export interface Problems {
  add(text: string, action?: string): void
  readonly count: number
  /** @throws ERR_CONFIG with one line per problem, when there is one. */
  throwIfAny(): void
}

/** Begins without a problem; the same text counts once, and each piece of advice stands once in the error. */
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
