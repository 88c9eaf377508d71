import { bringsUserBlueprint, isUserBlueprint, missingBlueprint, planBlueprints } from './blueprints/index.ts'
import { toDraft, valueAt } from './config/file.ts'
import { goneOptions } from './config/gone-options.ts'
import { prefixOf, toV2Path } from './config/keys.ts'
import { leftInCode } from './config/left.ts'
import { planConfig } from './config/plan.ts'
import { textOf } from './config/tree.ts'
import { planEnv, withRenames } from './env/index.ts'
import type { Found } from './find.ts'
import { type Finding, namesPrefix, nothing, type Part, type SiteFacts } from './plan.ts'
import type { Sheet } from './sheet.ts'
import type { Source } from './source.ts'

/** Plans configuration, environment and blueprints together: they are few files that depend on each other. */
export function planSettings(
  sheet: Sheet,
  found: readonly Found[],
  configs: readonly Source[],
  facts: SiteFacts,
  {
    wanted,
    renamesEnv,
    known,
  }: { wanted: ReadonlySet<Part>; renamesEnv: boolean; known: ReadonlySet<string> },
): void {
  const envs = sheet.readAll('env')
  const env = planEnv(envs, configs, facts, {
    // If only one side changed its name, nothing would read the variable.
    renames: renamesEnv && wanted.has('env') && wanted.has('config'),
    others: () => sheet.each('templates'),
    scripts: () => sheet.eachOf('script', 'data'),
  })
  const rewrites = planConfig(configs, facts)
  if (wanted.has('config')) {
    addConfigs(sheet, configs, { rewrites, renames: env.renames, facts, known })
    for (const source of sheet.each('data'))
      sheet.add('config', source, { ...nothing, findings: keysInData(source, facts) })
  }
  if (wanted.has('env')) {
    for (const [source, rewrite] of env.rewrites) sheet.add('env', source, rewrite)
    sheet.decisions.push(...env.decisions)
  }
  // A site without any mention of memberships gets no field.
  const isOurs = [...configs, ...envs].some(({ text }) => namesPrefix(text, facts))
  if (!wanted.has('blueprints') || !isOurs) return
  const blueprints = sheet.readAll('blueprints')
  for (const [file, rewrite] of planBlueprints(blueprints, facts, rolesIn(configs, facts)))
    sheet.add('blueprints', blueprints.find((source) => source.file === file)!, rewrite)
  const hasV1 = [...rewrites.values()].some(({ edits }) => edits.length > 0)
  if (hasV1 && !hasUserBlueprint(sheet, found)) sheet.decisions.push(missingBlueprint(facts))
}

// Default of `membership.members.roles`.
const defaultRoles = ['member']

/** Returns the roles of members, if every configuration that names some does it by literals; without any, the default. */
function rolesIn(configs: readonly Source[], facts: SiteFacts): readonly string[] | null {
  const roles = new Set<string>()
  for (const source of configs) {
    if (!/\broles?\b/.test(source.text)) continue
    const draft = toDraft(source, facts)
    const prefix = prefixOf(facts)
    for (const path of [
      [...prefix, 'manageUsers', 'role'],
      [...prefix, 'members', 'roles'],
    ]) {
      const node = draft && valueAt(draft, path)
      if (!node) continue
      const written = textOf(node)
      // A text, or a list of texts; anything else is known only when it runs.
      if (!/^(?:\[|array\()?\s*(?:(['"]?)[\w-]+\1\s*,?\s*)+(?:\]|\))?$/.test(written)) return null
      for (const [word] of written.replace(/^array\(/, '').matchAll(/[\w-]+/g)) roles.add(word)
    }
  }
  return roles.size === 0 ? defaultRoles : [...roles]
}

function hasUserBlueprint(sheet: Sheet, found: readonly Found[]): boolean {
  if (found.some(({ file }) => isUserBlueprint(file))) return true
  for (const source of sheet.each('templates')) if (bringsUserBlueprint(source)) return true
  return false
}

function addConfigs(
  sheet: Sheet,
  configs: readonly Source[],
  given: {
    rewrites: ReturnType<typeof planConfig>
    renames: ReturnType<typeof planEnv>['renames']
    facts: SiteFacts
    known: ReadonlySet<string>
  },
): void {
  const { rewrites, renames, facts, known } = given
  for (const source of configs) {
    const { edits, summary, findings } = rewrites.get(source.file) ?? nothing
    const isCode = !/\.(?:jsonc?|ya?ml)$/.test(source.file)
    const left = isCode ? leftInCode(source, edits, findings, facts) : []
    const draft = toDraft(source, facts)
    const removedOptions = draft === null ? [] : goneOptions(draft, facts, known)
    const all = withRenames(source, edits, renames)
    const renamed = all.length > edits.length ? ['environment variables renamed'] : []
    sheet.add('config', source, {
      edits: all,
      summary: [...summary, ...renamed],
      findings: [...findings, ...removedOptions, ...left],
    })
  }
}

/** Finds version 1 keys in a file outside the configuration folders, because code may read it. */
function keysInData(source: Source, facts: SiteFacts): Finding[] {
  if (!source.text.includes(prefixOf(facts).at(-1)!) || !/\.(?:jsonc?|ya?ml)$/.test(source.file)) return []
  const draft = toDraft(source, facts)
  return (draft?.hits ?? []).map(({ entry, above }) => {
    const path = [...above, ...entry.key!.split('.')]
    return {
      code: 'key-in-data',
      at: entry.start,
      reason: `"${path.join('.')}" is a key of version 1. This file is no configuration by its place, so it was not changed.`,
      replacement: toV2Path(path, facts).join('.'),
    }
  })
}
