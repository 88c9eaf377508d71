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

const found = new WeakMap<MembershipError, readonly Problem[]>()

/** The problems that an error of a configuration lists, each with its own fix; undefined for other errors. */
export function problemsOf(error: MembershipError): readonly Problem[] | undefined {
  return found.get(error)
}

const usual = 'Correct the configuration and start again.'

/** Starts without problems. The same text counts once, and each piece of advice appears once in the error. */
export function createProblems(): Problems {
  const added = new Map<string, Problem>()
  return {
    add: (text, action) => void (added.has(text) || added.set(text, { text, action })),
    get count() {
      return added.size
    },
    throwIfAny: () => {
      if (added.size === 0) return
      const all = [...added.values()]
      const actions = new Set(all.flatMap((problem) => problem.action ?? []))
      const error = new MembershipError('ERR_CONFIG', all.map((problem) => problem.text).join('\n'), {
        action: [...(actions.size ? actions : [usual])].join('\n'),
      })
      found.set(error, all)
      throw error
    },
  }
}
