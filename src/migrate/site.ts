import { MembershipError } from '../errors.ts'
import { isUserBlueprint, missingBlueprint, planBlueprints } from './blueprints/index.ts'
import { planConfig } from './config/plan.ts'
import { planEnv, withRenames } from './env/index.ts'
import { type Found, findFiles } from './find.ts'
import { type Decision, type Part, type Plan, parts, type SiteFacts } from './plan.ts'
import { createSheet, type Sheet } from './sheet.ts'

export interface PlanOptions {
  /** The parts to look at; all of them unless told. */
  readonly only?: readonly Part[]
  /** The key of the v1 provider, when it is not `stripe`. */
  readonly provider?: string
  /** The first segment of the configuration keys and the accessor's name, when it is not `membership`. */
  readonly prefix?: string
  /** Renames environment variables that follow old keys, in `.env` files and in the configuration together. */
  readonly renameEnv?: boolean
  readonly onProgress?: (step: string, done: number, all: number) => void
}

/**
 * Finds what a site has and works out what becomes of it. Reads only, and executes nothing of what it reads.
 * Configuration and blueprints are seen together; of everything else one text at a time is held. O(bytes).
 * @throws ERR_USAGE when there is no such folder
 */
export const planSite = async (folder: string, options: PlanOptions = {}): Promise<Plan> => {
  const { root, found, skipped } = findFiles(folder)
  const provider = checkKey(options.provider ?? 'stripe', 'provider')
  const prefix = checkKey(options.prefix ?? 'membership', 'prefix')
  const facts: SiteFacts = { provider, prefix, field: provider }
  const sheet = createSheet(root, found, skipped)
  const wanted = new Set(options.only ?? parts)
  planSettings(sheet, found, facts, { wanted, renamesEnv: options.renameEnv === true })
  return {
    root,
    facts,
    changes: sheet.changes,
    decisions: sheet.decisions.sort(byPlace),
    skipped: sheet.skipped,
    files: found.length,
    webhooks: [{ provider, path: `/${prefix}/webhooks/${provider}`, isUnchanged: true }],
  }
}

/** Configuration, environment and blueprints: few files, which belong together. */
const planSettings = (
  sheet: Sheet,
  found: readonly Found[],
  facts: SiteFacts,
  { wanted, renamesEnv }: { wanted: ReadonlySet<Part>; renamesEnv: boolean },
): void => {
  const configs = sheet.readAll('config')
  const envs = sheet.readAll('env')
  const env = planEnv(envs, configs, facts, { renames: renamesEnv, others: () => sheet.each('templates') })
  const rewrites = planConfig(configs, facts)
  if (wanted.has('config'))
    for (const source of configs) {
      const { edits, summary, findings } = rewrites.get(source.file) ?? {
        edits: [],
        summary: [],
        findings: [],
      }
      const all = withRenames(source, edits, env.renames)
      const renamed = all.length > edits.length ? ['environment variables renamed'] : []
      sheet.add('config', source, { edits: all, summary: [...summary, ...renamed], findings })
    }
  if (wanted.has('env')) {
    for (const [source, rewrite] of env.rewrites) sheet.add('env', source, rewrite)
    sheet.decisions.push(...env.decisions)
  }
  // A site that says nothing of memberships gets no field for them.
  const isOurs = [...configs, ...envs].some(({ text }) =>
    text.toLowerCase().includes(facts.prefix.toLowerCase()),
  )
  if (!wanted.has('blueprints') || !isOurs) return
  const blueprints = sheet.readAll('blueprints')
  for (const [file, rewrite] of planBlueprints(blueprints, facts))
    sheet.add('blueprints', blueprints.find((source) => source.file === file)!, rewrite)
  const hasV1 = [...rewrites.values()].some(({ edits }) => edits.length > 0)
  if (hasV1 && !found.some(({ file }) => isUserBlueprint(file))) sheet.decisions.push(missingBlueprint(facts))
}

/** Whether a migration has anything left to do: changes, or decisions that ask for a change. */
export const isDone = (plan: Plan): boolean =>
  plan.changes.length === 0 && plan.decisions.every(({ replacement }) => replacement === null)

const checkKey = (value: string, name: string): string => {
  if (/^[\w-]+(\.[\w-]+)*$/.test(value)) return value
  throw new MembershipError('ERR_USAGE', `"${value.slice(0, 50)}" cannot be a ${name}.`, {
    action: `Use letters, digits, - and _, as in --${name} ${name === 'prefix' ? 'membership' : 'stripe'}.`,
  })
}

const byPlace = (a: Decision, b: Decision): number =>
  compare(a.file ?? '', b.file ?? '') || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
