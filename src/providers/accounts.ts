import { MembershipError } from '../core/errors.ts'
import type { Provider } from './contract.ts'

interface Settings {
  readonly account: string | null
  /** Labels of the webhook secrets, each once. */
  readonly labels: readonly string[]
}

/**
 * Adds to a provider the label of the account that its API key belongs to. Fetched objects are then stored
 * under the same account as their webhook events, so nothing is stored twice.
 * @throws ERR_CONFIG when one key is used with several labels and nothing tells which it belongs to
 */
export function withAccount(key: string, provider: Provider, settings: Settings): Provider {
  const { labels } = settings
  const keyed = provider.accounts === undefined ? null : [...provider.accounts.keys()]
  const known = labels.length > 0 ? labels : (keyed ?? [])
  const named = [...(keyed ?? []), ...(settings.account === null ? [] : [settings.account])]
  const unknown = known.length > 0 ? named.find((label) => !known.includes(label)) : undefined
  if (unknown !== undefined) throw unknownLabel(key, unknown, known)
  if (keyed && settings.account !== null && !keyed.includes(settings.account))
    throw keyless(key, settings.account)
  const isAmbiguous = keyed === null && labels.length > 1 && settings.account === null
  if (isAmbiguous && asks(provider)) throw ambiguous(key, labels)
  const account = settings.account ?? keyed?.[0] ?? labels[0] ?? ''
  const main = bound(provider.accounts?.get(account) ?? provider)
  const ofKeys = [...(provider.accounts ?? [])].map(([label, provider]) => [label, bound(provider)] as const)
  const accounts = keyed ? new Map(ofKeys) : labels.length > 1 ? new Map([[account, main]]) : undefined
  return Object.defineProperties(main, { account: { value: account }, accounts: { value: accounts } })
}

/** Copies the provider with its methods bound to it, because a class may keep state in #private fields. */
function bound(provider: Provider): Provider {
  const made = {} as Provider
  for (const level of levelsOf(provider))
    for (const name of Reflect.ownKeys(level)) {
      if (name === 'constructor' || Object.hasOwn(made, name)) continue
      const value: unknown = Reflect.get(provider, name)
      const property =
        typeof value === 'function'
          ? { value: value.bind(provider) }
          : { get: () => Reflect.get(provider, name) }
      Object.defineProperty(made, name, { ...property, enumerable: true, configurable: true })
    }
  return made
}

// A class keeps its methods on its prototype.
function levelsOf(item: object | null): object[] {
  return item === null || item === Object.prototype ? [] : [item, ...levelsOf(Object.getPrototypeOf(item))]
}

function asks(provider: Provider): boolean {
  return Boolean(provider.fetch ?? provider.checkout ?? provider.subscriptionsOf ?? provider.cancel)
}

function ambiguous(key: string, labels: readonly string[]): MembershipError {
  return new MembershipError(
    'ERR_CONFIG',
    `membership.providers.${key}.webhook has the labels ${labels.join(', ')}, and nothing says which account the API key belongs to.`,
    {
      action: `Write membership.providers.${key}.account: ${labels[0]}, or give each label its own key: membership.providers.${key}.secret: { ${labels.map((label) => `${label}: …`).join(', ')} }.`,
    },
  )
}

function keyless(key: string, label: string): MembershipError {
  return new MembershipError(
    'ERR_CONFIG',
    `membership.providers.${key}.account is "${label}", which has no key in membership.providers.${key}.secret.`,
    { action: `Add membership.providers.${key}.secret.${label}, or name a label that has one.` },
  )
}

function unknownLabel(key: string, label: string, labels: readonly string[]): MembershipError {
  return new MembershipError(
    'ERR_CONFIG',
    `membership.providers.${key} names the account "${label}", which is no label of its webhook: ${labels.map((label) => label || '(no label)').join(', ')}.`,
    { action: `Name one of them, or add membership.providers.${key}.webhook.${label}.` },
  )
}
