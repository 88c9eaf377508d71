import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { webhookNames } from '../../core/config/index.ts'
import type { Settings } from '../../migrate/settings.ts'

/** The webhook secret, or how to supply it. */
export type Secret = { readonly value: string } | { readonly missing: string }

/**
 * Finds the secret that signs webhooks where the configuration points: written out, in an environment
 * variable, or in one of the site's `.env` files. The secret is used only to sign.
 */
export function findSecret(
  root: string,
  settings: Settings,
  options: { provider: string; secretEnv?: string; env: Readonly<Record<string, string | undefined>> },
): Secret {
  // Settings of both versions are listed under version 2's names.
  const named = (name: string) =>
    settings.all.find(({ path }) => path.join('.') === `providers.${options.provider}.${name}`)
  const setting = webhookNames.map(named).find((item) => item !== undefined) ?? null
  const variable = options.secretEnv ?? setting?.variable ?? null
  if (options.secretEnv === undefined && setting?.text) return { value: setting.text }
  if (variable === null)
    return {
      missing:
        'The configuration does not show the webhook’s secret. Put it into a variable and name that: --secret-env NAME',
    }
  const value = options.env[variable] ?? fromFiles(root, variable)
  return value
    ? { value }
    : {
        missing: `The webhook’s secret is read from ${variable}, which is not set here. Set it for this command: ${variable}=… membership doctor …`,
      }
}

/** Returns a variable's value from the site's `.env` files; undefined if none sets it. */
export function fromFiles(root: string, variable: string): string | undefined {
  for (const file of ['.env', '.env.production', '.env.local', 'site/.env', '../.env']) {
    const path = join(root, file)
    if (!existsSync(path)) continue
    const value = parseEnv(readFileSync(path, 'utf8'))[variable]
    if (value !== undefined) return value
  }
  return undefined
}
