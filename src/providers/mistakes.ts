import type { PlanConfig } from '../core/config/index.ts'
import { isInstalled } from '../core/package-folder.ts'
import type { Provider, ProviderDefinition, WebhookSecret } from './contract.ts'
import { mistakenFor } from './secret-shapes.ts'

/**
 * A mistake in the configuration. `name` is the check of `membership doctor`; the text contains no secret.
 */
export interface Mistake {
  readonly name: 'secret-mixed-up' | 'package' | 'price'
  readonly text: string
  readonly action: string
}

/** Finds mistakes that are visible without a request: misplaced secrets, and a missing package. */
export function mistakesOf(
  {
    key,
    secrets: shapes,
    needs,
    products,
  }: Pick<ProviderDefinition, 'key' | 'secrets' | 'needs' | 'products'>,
  provider: Provider,
  given: {
    readonly secrets: readonly WebhookSecret[]
    readonly options: unknown
    readonly plans?: Readonly<Record<string, Pick<PlanConfig, 'id' | 'prices'>>>
  },
): Mistake[] {
  const { secrets, options, plans = {} } = given
  const keys = apiKeysOf(options)
  const webhooks = secrets.map(({ secret }) =>
    keys.includes(secret) ? 'the API key' : mistakenFor(shapes, 'webhook', secret),
  )
  return [
    ...webhooks.filter((what) => what !== null).map((what) => ofWebhook(key, what)),
    ...keys
      .map((secret) => mistakenFor(shapes, 'secret', secret))
      .filter((what) => what !== null)
      .map((what) => ofKey(key, what)),
    ...Object.values(plans).flatMap(({ id: plan, prices }) =>
      prices
        .filter(({ id }) => products !== undefined && id.startsWith(products))
        .map(({ id }) => ofProduct(key, plan, id)),
    ),
    ...(needs !== undefined && provider.checkout && !isInstalled(needs) ? [ofPackage(key, needs)] : []),
  ]
}

/** Returns the provider's own API keys, if the option is called `secret`, as most are. */
function apiKeysOf(options: unknown): string[] {
  const { secret } = (options ?? {}) as { secret?: unknown }
  const all = typeof secret === 'object' && secret !== null ? Object.values(secret) : [secret]
  return all.filter((item): item is string => typeof item === 'string' && item !== '')
}

function ofWebhook(key: string, what: string): Mistake {
  return {
    name: 'secret-mixed-up',
    text: `The webhook secret of ${key} looks like ${what}.`,
    action: `Copy the signing secret of the endpoint from ${key}'s dashboard to membership.providers.${key}.webhook.`,
  }
}

function ofKey(key: string, what: string): Mistake {
  return {
    name: 'secret-mixed-up',
    text: `The API key of ${key} looks like ${what}.`,
    action: `Copy the secret API key from ${key}'s dashboard to membership.providers.${key}.secret.`,
  }
}

function ofProduct(key: string, plan: string, id: string): Mistake {
  return {
    name: 'price',
    text: `membership.providers.${key}.plans.${plan}.prices names "${id}", which is a product: nobody can buy it.`,
    action: `Name the ids of its prices, as ${key}'s dashboard shows them on the product's page.`,
  }
}

function ofPackage(key: string, name: string): Mistake {
  return {
    name: 'package',
    text: `${key} sells here, and the package "${name}" is not installed: the first buyer would meet an error.`,
    action: `npm install ${name}`,
  }
}
