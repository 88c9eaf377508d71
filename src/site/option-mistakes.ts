import { configKeys, findNearest, isDefinition, isTopKey } from '../core/config/index.ts'
import { MembershipError } from '../core/errors.ts'
import { afterHookNames, beforeHookNames, hookAliases } from '../memberships/hooks/index.ts'
import { codeOptions, type MembershipOptions } from './options.ts'

/**
 * Checks the options that code gave, before anything is opened. Configuration keys among them are checked by
 * the configuration's own reader.
 * @throws ERR_CONFIG with everything that is wrong, one line each
 */
export function checkOptions(options: MembershipOptions): void {
  const mistakes = Object.entries(options).flatMap(([name, value]) => mistakesIn(name, value))
  if (mistakes.length === 0) return
  throw new MembershipError('ERR_CONFIG', mistakes.map(({ text }) => text).join('\n'), {
    action: [...new Set(mistakes.map(({ action }) => action))].join('\n'),
  })
}

interface Mistaken {
  readonly text: string
  readonly action: string
}

function mistakesIn(name: string, value: unknown): Mistaken[] {
  if (!Object.hasOwn(codeOptions, name)) return misspelt(name, value)
  if (value === undefined) return []
  if (name === 'customProviders') return ofProviders(value)
  const kind = codeOptions[name as keyof typeof codeOptions]
  if (!kinds[kind](value))
    return [
      {
        text: `The option "${name}" must be ${kind}; it is ${wordsFor(value)}.`,
        action: `Correct the option "${name}".`,
      },
    ]
  if (name === 'hooks') return ofHooks(value as object)
  if (name === 'feeds') return ofFeeds(value as object)
  if (isRoom(name))
    return [...ofRoom(name, value as object), ...(name === 'mails' ? ofMails(value as object) : [])]
  return []
}

/** What an option of code may have where the configuration has a group of the same name. */
const rooms = {
  files: ['presign'],
  mails: ['transport', 'siteName', 'accountPath'],
  office: ['who', 'pages'],
  reports: ['resolve', 'resolveTxt', 'policy', 'ca', 'screenshot', 'chance'],
} as const satisfies { [K in 'files' | 'mails' | 'office' | 'reports']: readonly KeyOf<K>[] }
type KeyOf<K extends keyof MembershipOptions> = keyof NonNullable<MembershipOptions[K]>

function isRoom(name: string): name is keyof typeof rooms {
  return Object.hasOwn(rooms, name)
}

function ofRoom(room: keyof typeof rooms, value: object): Mistaken[] {
  const known: readonly string[] = rooms[room]
  return Object.entries(value).flatMap(([name, inner]) => {
    if (inner === undefined || known.includes(name)) return []
    const found = ofConfiguration(room, name)
    if (found) return [found]
    const nearest = findNearest(name, known)
    return [
      {
        text: `The option "${room}" has no "${name}".${nearest ? ` Did you mean "${nearest}"?` : ''}`,
        action: nearest
          ? `Rename "${name}" to "${nearest}".`
          : `Correct the name, or remove it. The option "${room}" has: ${known.join(', ')}.`,
      },
    ]
  })
}

/** A key of the configuration that stands among the options of code. */
function ofConfiguration(room: string, name: string): Mistaken | undefined {
  const key = `membership.${room}.${name}`
  if (!configKeys().some((known) => known.key === key)) return undefined
  return {
    text: `"${name}" in the option "${room}" is a key of the configuration, and has no effect there.`,
    action: `Write '${key}' beside the option, or in config/membership.yml.`,
  }
}

function ofFeeds(feeds: object): Mistaken[] {
  return Object.entries(feeds).flatMap(([path, handler]) => {
    if (handler === undefined || (path.startsWith('/') && typeof handler === 'function')) return []
    const found = ofConfiguration('feeds', path)
    if (found) return [found]
    return [
      {
        text: `The option "feeds" must have functions by path, such as '/podcast.xml'; "${path}" is ${path.startsWith('/') ? wordsFor(handler) : 'no path'}.`,
        action: `Correct "${path}" in the option "feeds".`,
      },
    ]
  })
}

const kinds = {
  'a function': (value: unknown) => typeof value === 'function',
  'a group of keys': (value: unknown) => isGroup(value),
  'true or false': (value: unknown) => typeof value === 'boolean',
  text: (value: unknown) => typeof value === 'string',
  'text, or false': (value: unknown) => typeof value === 'string' || value === false,
  'a list': Array.isArray,
}

// The reader of the configuration checks its own keys. Any other name is most likely a misspelt option.
function misspelt(name: string, value: unknown): Mistaken[] {
  if (name === 'providers') return ofMisplaced(value)
  if (name === 'membership' || name.startsWith('membership.') || isTopKey(name.split('.')[0]!)) return []
  const nearest = findNearest(name, Object.keys(codeOptions))
  if (nearest === undefined) return []
  return [
    {
      text: `There is no option "${name}". Did you mean "${nearest}"?`,
      action: `Rename "${name}" to "${nearest}".`,
    },
  ]
}

// `providers` may mean the site's own providers, or the keys of one of ours. The value shows which.
function ofMisplaced(value: unknown): Mistaken[] {
  const [first = '{provider}'] = isGroup(value) ? Object.keys(value) : []
  return [
    {
      text: 'There is no option "providers".',
      action: Array.isArray(value)
        ? 'Providers of your own go into customProviders: [ … ].'
        : `A provider of this package is configured by its keys: 'membership.providers.${first}': { … }`,
    },
  ]
}

function ofProviders(value: unknown): Mistaken[] {
  const text =
    'The option "customProviders" must be a list of providers of your own, made with defineProvider()'
  if (!Array.isArray(value))
    return [{ text: `${text}; it is ${wordsFor(value)}.`, action: 'Write customProviders: [acme].' }]
  return value.every(isDefinition)
    ? []
    : [{ text: `${text}; one entry is none.`, action: 'Put what defineProvider() returned into the list.' }]
}

function ofHooks({ before = {}, ...after }: { before?: unknown }): Mistaken[] {
  return [
    ...(isGroup(before)
      ? namedHooks(before as object, { below: 'hooks.before', known: beforeHookNames })
      : [{ text: 'The option "hooks.before" must be a group of hooks.', action: 'Correct hooks.before.' }]),
    ...namedHooks(after, { below: 'hooks', known: [...afterHookNames, ...hookAliases] }),
  ]
}

function namedHooks(
  hooks: object,
  { below, known }: { below: string; known: readonly string[] },
): Mistaken[] {
  return Object.entries(hooks).flatMap(([name, hook]) => {
    if (hook === undefined) return []
    if (!known.includes(name)) {
      const nearest = findNearest(name, known)
      return [
        {
          text: `There is no hook "${name}".${nearest ? ` Did you mean "${nearest}"?` : ''}`,
          action: nearest ? `Rename "${name}" to "${nearest}".` : `Hooks: ${known.join(', ')}.`,
        },
      ]
    }
    if ([hook].flat().every((item) => typeof item === 'function')) return []
    return [
      {
        text: `The hook "${name}" must be a function, or a list of functions.`,
        action: `Correct ${below}["${name}"].`,
      },
    ]
  })
}

function ofMails(mails: object): Mistaken[] {
  return 'transport' in mails && typeof mails.transport === 'function'
    ? []
    : [
        {
          text: 'The option "mails" has no transport, and without one no mail leaves.',
          action: "mails: { transport: smtp({ url, from }) }, with import { smtp } from 'membership'",
        },
      ]
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wordsFor(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === null) return 'null'
  return typeof value === 'object'
    ? 'a group of keys'
    : typeof value === 'function'
      ? 'a function'
      : `a ${typeof value}`
}
