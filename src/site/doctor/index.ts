import { planSite } from '../../migrate/index.ts'
import { mask } from '../../migrate/mask.ts'
import { readSettings } from '../../migrate/settings.ts'
import { loadDefinitions } from '../../providers/registry.ts'
import type { MembershipOptions } from '../options.ts'
import { type TopicCheck, under } from './check.ts'
import { checkFolder, hiddenField } from './folder.ts'
import { findSecret } from './secret.ts'
import { checkSite, isConfigured, type SiteDiagnosis } from './site.ts'
import { checkAddress } from './webhook-address.ts'

export type { Check, Topic, TopicCheck } from './check.ts'

/** Input of the checks. */
export interface DoctorOptions {
  /** The site's public address. Without it only the folder is checked. */
  readonly url?: string
  /** Provider whose webhooks are tried; the configured one by default. */
  readonly provider?: string
  readonly prefix?: string
  /** Function that templates call, if it is not the prefix's last segment. */
  readonly accessor?: string
  /** Configuration file to use instead of `config/membership.*`. */
  readonly config?: string
  /** Environment variable with the webhook secret, if the configuration does not name it. */
  readonly secretEnv?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
  readonly randomId: () => string
  readonly timeoutSeconds?: number
  /** The options of a site whose folder has no configuration, such as the demo. They are used in place of files. */
  readonly options?: MembershipOptions
}

/** The findings. A site is well if none of them is a `problem`. */
export interface Diagnosis {
  readonly isWell: boolean
  readonly checks: readonly TopicCheck[]
  /** First thing to do; null if there is nothing to do. */
  readonly first: string | null
}

/**
 * Checks a site from its folder, and with `url` also from outside. It does not run the site and changes
 * nothing. The checks cover leftovers of v1, the hidden field, the settings, and the webhook address, which
 * gets a signed event of an unknown type. If version 2 is configured, they also ask the providers and read
 * the database. Secrets are used and never shown.
 * @throws ERR_USAGE for a folder or an address that cannot be
 */
export async function examine(folder: string, options: DoctorOptions): Promise<Diagnosis> {
  const plan = await planSite(folder, {
    ...(options.provider ? { provider: options.provider } : {}),
    ...(options.prefix ? { prefix: options.prefix } : {}),
    ...(options.accessor ? { accessor: options.accessor } : {}),
  })
  const { provider } = plan.facts
  const settings = readSettings(plan.root, plan.facts)
  const { all } = settings
  const definitions = await loadDefinitions(
    all.flatMap(({ path: [room, key] }) => (room === 'providers' && key ? [key] : [])),
  )
  const input = { ...options, folder: plan.root }
  const site = isConfigured(input) ? await checkSite(input) : null
  const checks = [
    ...under('Files', checkFolder(plan, site === null ? { plan, all, env: options.env, definitions } : null)),
    ...under('Files', site === null ? [] : await otherFields(plan.root, provider, site)),
    ...(site?.checks ?? []),
  ]
  if (options.url !== undefined) {
    const secret = findSecret(plan.root, settings, { ...options, provider })
    checks.push(...under('Webhook address', await checkAddress(options.url, plan.facts, secret, options)))
  }
  const shown = checks.map(hiding(site?.secrets ?? []))
  return {
    isWell: shown.every(({ status }) => status !== 'problem'),
    checks: shown,
    first: firstOf(shown),
  }
}

/** Checks the hidden fields of the providers that the plan does not cover. */
async function otherFields(root: string, provider: string, { fields }: SiteDiagnosis) {
  const others = fields.filter((field) => field.provider !== provider)
  const plans = others.map((field) =>
    planSite(root, { provider: field.provider, only: ['config', 'blueprints'] }),
  )
  return (await Promise.all(plans)).flatMap(hiddenField)
}

/** Masks every known secret, and everything that looks like one. */
function hiding(secrets: readonly string[]) {
  const clean = (text: string) => mask(secrets.reduce((left, secret) => left.replaceAll(secret, '•••'), text))
  return (check: TopicCheck): TopicCheck => ({
    ...check,
    what: clean(check.what),
    fix: check.fix === null ? null : clean(check.fix),
  })
}

function firstOf(checks: readonly TopicCheck[]): string | null {
  return (
    (['problem', 'warning'] as const)
      .map((wanted) => checks.find(({ status, fix }) => status === wanted && fix !== null)?.fix)
      .find((fix) => fix !== undefined) ?? null
  )
}
