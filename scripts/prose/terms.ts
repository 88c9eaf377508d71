/** Words that the glossary of CONTRIBUTING.md replaces: a pattern, and what to say instead. */
export const terms: readonly (readonly [pattern: string, instead: string])[] = [
  ['reconcil(?:e|es|ed|ing|iation)', 'sync or compare'],
  ['quarantin(?:e|es|ed)', 'held'],
  ['entitlements?', 'gate'],
  ['deeds?', 'action'],
  ['dead events?', 'event that was given up'],
  ['dead letters?', 'given up'],
  ['who(?:ever)? runs the (?:site|shop|index)', 'the operator'],
  ['merchants?(?! of record)', 'seller or provider'],
  ['(?:is|are|was|were|be|been) told', 'notified'],
  ['whom', 'a sentence with its subject first'],
  ['whoever', 'the person, by what they do'],
  ['leave in a month', 'monthly churn'],
  ['money back', 'refund'],
  ['e-?mail letters?', 'mail'],
  ['log ?in by a link', 'log in with a link'],
  ['one of both', 'merge'],
]
