import { legacyProvider } from '../config/index.ts'
import { planSite } from '../migrate/index.ts'
import { mask } from '../migrate/mask.ts'
import { readSettings } from '../migrate/settings.ts'
import type { Check } from './check.ts'
import { checkFolder } from './folder.ts'
import { checkAddress } from './outside.ts'
import { findSecret } from './secret.ts'

export type { Check } from './check.ts'

export interface DoctorOptions {
  /** The site's public address; without it only the folder is looked at. */
  readonly url?: string
  /** The provider whose webhooks are tried; the one of v1 unless told. */
  readonly provider?: string
  readonly prefix?: string
  /** The environment variable that holds the webhook's secret, when the configuration does not tell it. */
  readonly secretEnv?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
  readonly randomId: () => string
  readonly timeoutSeconds?: number
}

/** What was found; a site is well without a `problem`. */
export interface Diagnosis {
  readonly isWell: boolean
  readonly checks: readonly Check[]
}

/**
 * Checks a site from its folder, and with `url` from outside, without running it and without changing anything: leftovers
 * of v1, the hidden field, the settings, and the webhook address with a signed event of an unknown type. Secrets are
 * used and never shown.
 * @throws ERR_USAGE for a folder or an address that cannot be
 */
export const examine = async (folder: string, options: DoctorOptions): Promise<Diagnosis> => {
  const provider = options.provider ?? legacyProvider
  const plan = await planSite(folder, { provider, ...(options.prefix ? { prefix: options.prefix } : {}) })
  const settings = readSettings(plan.root, plan.facts)
  const checks = checkFolder(plan, settings)
  if (options.url !== undefined) {
    const secret = findSecret(plan.root, settings, { ...options, provider })
    checks.push(...(await checkAddress(options.url, plan.facts, secret, options)))
  }
  return {
    isWell: checks.every(({ status }) => status !== 'problem'),
    checks: checks.map((one) => ({
      ...one,
      what: mask(one.what),
      fix: one.fix === null ? null : mask(one.fix),
    })),
  }
}
