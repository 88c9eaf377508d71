import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { z } from 'zod'
import { type LoadConfigInput, loadConfig } from '../../../src/core/config/index.ts'
import { isMembershipError, type MembershipError } from '../../../src/core/errors.ts'
import type { ProviderDefinition } from '../../../src/providers/contract.ts'

function create(): never {
  throw new Error('configuration creates no provider')
}

export const stripe = {
  key: 'stripe',
  options: z.object({
    secret: z.string().optional(),
    api_version: z.string().default('2026-01-01'),
    webhook_tolerance: z.number().int().positive().default(300),
  }),
  create,
} satisfies ProviderDefinition

export const sandbox = {
  key: 'sandbox',
  inProcess: true,
  options: z.strictObject({ speed: z.number().default(1) }),
  create,
} satisfies ProviderDefinition

export const paddle = {
  key: 'paddle',
  options: z.object({
    secret: z.string(),
    environment: z.enum(['live', 'sandbox']).default('live'),
  }),
  create,
} satisfies ProviderDefinition

export const definitions = [stripe, sandbox, paddle]

type Given = Partial<LoadConfigInput<ProviderDefinition>>

/** Loads with the stub providers and without files, unless told otherwise. */
export function load(options: unknown, given: Given = {}) {
  return loadConfig<ProviderDefinition>({ options, root: false, env: {}, definitions, ...given })
}

/** The error of a configuration that is refused. */
export async function refusal(
  t: ExecutionContext,
  options: unknown,
  given: Given = {},
): Promise<MembershipError> {
  const error = await t.throwsAsync(load(options, given))
  if (!isMembershipError(error, 'ERR_CONFIG')) throw error
  return error
}

/** A folder with these files, removed after the test. */
export async function folder(t: ExecutionContext, files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'membership-config-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  return root
}
