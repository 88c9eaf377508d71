import type { Finding } from '../entries/finding.ts'

/** So many different domains in a row that do not answer are more likely our own network than theirs. */
const threshold = 10
const ofNetwork: ReadonlySet<string> = new Set([
  'dns',
  'refused',
  'connect-timeout',
  'headers-timeout',
  'body-timeout',
])

/**
 * Holds failures of the network back until any website was reached since: only then they are the websites' own. When
 * too many different domains fail with none in between, the breaker opens and nothing of them is written down.
 */
export const createBreaker = <T extends { readonly domain: string; readonly finding: Finding }>() => {
  let suspects: T[] = []
  let isOpen = false

  return {
    get isOpen() {
      return isOpen
    },
    /** Results that may be written now: this one and those held back before it. */
    pass: (result: T): T[] => {
      const { finding } = result
      if (isOpen || (finding.kind === 'unreachable' && ofNetwork.has(finding.reason))) {
        suspects.push(result)
        isOpen ||= new Set(suspects.map(({ domain }) => domain)).size >= threshold
        return []
      }
      const held = suspects
      suspects = []
      return [...held, result]
    },
    /** At the end: what is held back. Closed, it may be written down; open, it must not. */
    rest: (): T[] => {
      const held = suspects
      suspects = []
      return held
    },
  }
}
