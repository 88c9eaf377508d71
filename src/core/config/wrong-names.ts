/** The meaning of a wrong key: a sentence for its problem, and its fix. */
export interface WrongName {
  readonly text: string
  readonly action: string
}

/** Options that only code gives → what a site writes beside its keys. */
export const codeOnly: Readonly<Record<string, string>> = {
  customProviders: 'customProviders: [ … ]',
  config: "config: 'file'",
  'feeds./': "feeds: { '/podcast.xml': … }",
  'files.presign': 'files: { presign }',
  hooks: 'hooks: { … }',
  identify: 'identify: (visit) => …',
  install: 'install: false',
  log: 'log: (message) => …',
  'mails.accountPath': 'mails: { accountPath }',
  'mails.siteName': 'mails: { siteName }',
  'mails.transport': 'mails: { transport }',
  now: 'now: () => …',
  'office.pages': 'office: { pages }',
  'office.who': 'office: { who }',
  onAlert: 'onAlert: (alert) => …',
  pageData: 'pageData: (ctx, view) => …',
  'reports.ca': 'reports: { ca }',
  'reports.chance': 'reports: { chance }',
  'reports.policy': 'reports: { policy }',
  'reports.resolve': 'reports: { resolve }',
  'reports.resolveTxt': 'reports: { resolveTxt }',
  'reports.screenshot': 'reports: { screenshot }',
  root: "root: 'folder'",
  userStore: 'userStore: { … }',
}

/** Words that people write → the key below the same group. */
const synonyms: readonly (readonly [pattern: RegExp, name: string])[] = [
  [
    /^providers\.[^.]+\.(?:api_?key|api_?token|api_?secret|secret_?key|private_?key|access_?token|key|token)$/i,
    'secret',
  ],
  [/^providers\.[^.]+\.(?:webhook_?(?:secret|id|auth|key)|signing_?secret)$/i, 'webhook'],
  [/^(?:base|site|public)_?url$/i, 'url'],
  [/^(?:sub|base)_?path$/i, 'base_path'],
]

/** Finds what a key means that is a word of another place or of other packages. */
export function findWrongName(key: string, known: ReadonlySet<string>): WrongName | undefined {
  const path = key.slice('membership.'.length)
  return ofLines(path) ?? ofCode(path, key) ?? ofSynonym(path, key, known)
}

function ofLines(path: string): WrongName | undefined {
  const [, place, plan, name] =
    /^(plans|providers\.[^.]+\.plans)\.([^.]+)\.(?:words\.[^.]+\.)?(features|lines)$/.exec(path) ?? []
  const isSite = place === 'plans'
  if (plan === undefined || isSite !== (name === 'features')) return undefined
  const other = isSite ? 'lines' : 'features'
  return {
    text: `Texts of a pricing page are called "${other}" here.`,
    action: isSite
      ? `Rename "${name}" to "lines".`
      : `Rename "${name}" to "features", or move the plan to membership.plans.${plan}.`,
  }
}

function ofCode(path: string, key: string): WrongName | undefined {
  const found = Object.keys(codeOnly).find(
    (name) => path === name || (name.endsWith('/') && path.startsWith(name)),
  )
  if (found === undefined) return undefined
  return {
    text: 'It is an option of createMembership, not a key of the configuration.',
    action: `Move "${key}" out of the configuration: createMembership({ ${codeOnly[found]} }).`,
  }
}

function ofSynonym(path: string, key: string, known: ReadonlySet<string>): WrongName | undefined {
  const above = key.slice(0, key.lastIndexOf('.') + 1)
  const name = synonyms.find(([pattern]) => pattern.test(path))?.[1]
  const right = name === undefined ? sameLetters(key, above, known) : `${above}${name}`
  if (right === undefined || !known.has(right)) return undefined
  return { text: `Did you mean "${right}"?`, action: `Rename "${key}" to "${right}".` }
}

/** The key beside it with the same letters: `trustProxy` and `trust-proxy` are `trust_proxy`. */
function sameLetters(key: string, above: string, known: ReadonlySet<string>): string | undefined {
  const letters = (name: string) => name.slice(above.length).replace(/[-_]/g, '').toLowerCase()
  return [...known].find((name) => name.startsWith(above) && letters(name) === letters(key))
}
