import { join } from 'node:path'
import { z } from 'zod'
import { MembershipError } from '../core/errors.ts'
import { loadDefinitions } from '../providers/registry.ts'
import { fieldOf, hasField, leftPurchases, planDatabase, rewriteAccount } from './accounts/index.ts'
import { codeBlueprint } from './blueprints/index.ts'
import { toDraft, valueAt } from './config/file.ts'
import { prefixOf } from './config/keys.ts'
import { leftInCode } from './config/left.ts'
import { findLeftovers, mentionsV1 } from './config/leftovers.ts'
import { findLegacyProvider } from './config/legacy.ts'
import { planConfig } from './config/plan.ts'
import { providersIn } from './config/providers.ts'
import { ifNotTooDeep, tooDeep } from './deep.ts'
import { type Found, findFiles } from './find.ts'
import { legacyProvider } from './legacy-provider.ts'
import {
  accessorOf,
  type DatabaseChange,
  type Decision,
  namesPrefix,
  nothing,
  type OnProgress,
  type Part,
  type Plan,
  parts,
  type Rewrite,
  type SiteFacts,
  shortPrefix,
} from './plan.ts'
import { planSettings } from './plan-settings.ts'
import { createSheet, type Sheet } from './sheet.ts'
import type { Source } from './source.ts'
import { purchaseFlow } from './templates/flow.ts'
import { findGiven } from './templates/given.ts'
import { rewriteTemplate } from './templates/index.ts'
import { searchQueries } from './templates/queries.ts'
import { syntaxOf } from './templates/tree.ts'

/** Parts of a v1 site to check, and its unusual names. */
export interface PlanOptions {
  /** Parts to check; all by default. */
  readonly only?: readonly Part[]
  /** Key of the v1 provider, if its configuration does not show it. */
  readonly provider?: string
  /** Prefix of the configuration keys, if it is not `membership`: `bnomei.klub`. */
  readonly prefix?: string
  /** Function that templates call, if it is not the prefix's last segment: `klub`. */
  readonly accessor?: string
  /**
   * Renames environment variables that follow old keys, in `.env` files and in the configuration together.
   */
  readonly renameEnv?: boolean
  readonly onProgress?: OnProgress
}

/**
 * Finds a site's files and plans their changes. It only reads, and executes nothing. Configuration and
 * blueprints are read together; of everything else one text at a time is in memory. O(bytes).
 * @throws ERR_USAGE when there is no such folder
 */
export async function planSite(folder: string, options: PlanOptions = {}): Promise<Plan> {
  const { root, found, skipped } = findFiles(folder)
  const prefix = checkKey(options.prefix ?? 'membership', 'prefix')
  const sheet = createSheet(root, found, skipped, options.onProgress)
  const wanted = new Set(options.only ?? parts)
  const configs = sheet.readAll('config')
  const provider = checkKey(
    options.provider ?? findLegacyProvider(configs, sheet.readAll('env'), prefix),
    'provider',
  )
  const known = { provider, prefix, accessor: checkAccessor(options.accessor), field: provider }
  const facts = {
    ...known,
    field: fieldInConfig(configs, known) ?? fieldInAccounts(sheet, known) ?? provider,
  }

  const [definition] = await loadDefinitions([provider])
  const own = definition?.options instanceof z.ZodObject ? Object.keys(definition.options.shape) : []
  planSettings(sheet, found, configs, facts, {
    wanted,
    renamesEnv: options.renameEnv === true,
    known: new Set(own),
  })
  if (wanted.has('templates')) {
    const templates = () => codeOf(sheet, configs)
    // A site without any mention of memberships gets no field.
    const isOurs = configs.some(({ text }) => namesPrefix(text, facts))
    const templateFacts = {
      ...facts,
      isOurs: isOurs || callsAccessor(templates(), facts),
      given: findGiven(templates, facts),
      givenPurchases: findGiven(templates, facts, purchaseFlow),
    }
    for (const source of sheet.each('templates'))
      sheet.add('templates', source, inCode(source, templateFacts, isOurs))
    // Hooks and routes of a configuration, and scripts without an ending.
    for (const source of [...codeIn(configs), ...codeIn(sheet.each('script'))])
      sheet.add(
        'templates',
        source,
        ifNotTooDeep(source.text, () => rewriteTemplate(source, templateFacts)) ?? tooDeep,
      )
    if (templateFacts.isOurs)
      for (const source of sheet.eachOf('blueprints', 'data', 'text'))
        sheet.add('templates', source, searchQueries(source, facts))
  }
  const databases = wanted.has('accounts') ? planAccounts(sheet, found, root, facts) : []
  return {
    root,
    facts,
    parts: parts.filter((part) => wanted.has(part)),
    changes: sheet.changes,
    databases,
    decisions: sheet.decisions.sort(byPlace),
    // A file that was read twice is listed once.
    skipped: [...new Map(sheet.skipped.map((file) => [file.file, file])).values()],
    files: found.filter(({ part }) => part !== 'script' && part !== 'text').length,
    webhooks: webhooksOf([provider, ...providersIn(configs, facts)], facts),
  }
}

/** Every file with code, whatever else it is. */
function* codeOf(sheet: Sheet, configs: readonly Source[]): Generator<Source> {
  yield* sheet.each('templates')
  yield* codeIn(configs)
  yield* codeIn(sheet.each('script'))
}

function* codeIn(sources: Iterable<Source>): Generator<Source> {
  for (const source of sources) if (syntaxOf(source) !== null) yield source
}

/** Returns true if any code asks for the member's memberships: `membership()`, `$user->subscriptions()`. */
function callsAccessor(sources: Iterable<Source>, facts: SiteFacts): boolean {
  const call = `${accessorOf(facts).toLowerCase()}(`
  for (const { text } of sources)
    if (
      text.toLowerCase().includes(call) ||
      /\bcreateMembership\(|\buser\b[^\n]{0,40}subscriptions\b/i.test(text)
    )
      return true
  return false
}

/** Returns the address that each provider posts to from now on. */
function webhooksOf(keys: readonly string[], facts: SiteFacts): Plan['webhooks'] {
  return [...new Set(keys)].map((key) => ({
    provider: key,
    path: `/${shortPrefix(facts)}/webhooks/${key}`,
    // Version 1's address is already the general one.
    isUnchanged: key === facts.provider,
  }))
}

/** Rewrites templates and code; configuration keys that code reads are reported as well. */
function inCode(source: Source, facts: SiteFacts, isOurs: boolean): Rewrite {
  const rewrite = ifNotTooDeep(source.text, () => rewriteTemplate(source, facts)) ?? tooDeep
  const keys = source.text.includes('createMembership(')
    ? (planConfig([source], facts).get(source.file) ?? nothing)
    : { ...nothing, findings: findLeftovers(source.text, facts, []) }
  const edits = [...rewrite.edits, ...keys.edits]
  const blueprint = isOurs || source.text.includes(shortPrefix(facts)) ? codeBlueprint(source, facts) : []
  const findings = [...rewrite.findings, ...keys.findings, ...blueprint]
  return {
    edits,
    summary: [...rewrite.summary, ...keys.summary],
    findings: [...findings, ...leftInCode(source, edits, findings, facts)],
  }
}

/** Plans accounts in files and in databases, one at a time. */
function planAccounts(
  sheet: Sheet,
  found: readonly Found[],
  root: string,
  facts: SiteFacts,
): readonly DatabaseChange[] {
  for (const source of sheet.each('accounts')) {
    const rewrite = ifNotTooDeep(source.text, () => rewriteAccount(source, facts)) ?? tooDeep
    const isRead = rewrite.findings.length > 0 || hasField(source, facts)
    const left = isRead ? [] : leftPurchases(source.text, rewrite.edits, facts)
    sheet.add('accounts', source, { ...rewrite, findings: [...rewrite.findings, ...left] })
  }
  for (const source of sheet.each('data'))
    sheet.add('accounts', source, { ...nothing, findings: leftPurchases(source.text, [], facts) })
  return found.flatMap(({ file, part }) => {
    if (part !== 'database') return []
    const { rows, findings, summary } = planDatabase(join(root, file), file, facts)
    sheet.decisions.push(...findings)
    return rows.length > 0 ? [{ file, rows, summary }] : []
  })
}

/** Returns the member field for the provider's data, if the configuration names it. */
function fieldInConfig(configs: readonly Source[], facts: SiteFacts): string | null {
  for (const source of configs) {
    if (!source.text.includes('field') || !mentionsV1(source.text, facts)) continue
    const draft = toDraft(source, facts)
    const prefix = prefixOf(facts)
    const node =
      draft &&
      (valueAt(draft, [...prefix, facts.provider, 'field']) ??
        valueAt(draft, [...prefix, 'providers', facts.provider, 'field']))
    if (node?.kind === 'literal' && typeof node.value === 'string') return node.value
  }
  return null
}

/**
 * Returns the field in which the accounts have the provider's data, if no account has it in the default
 * field.
 */
function fieldInAccounts(sheet: Sheet, facts: SiteFacts): string | null {
  const counts = new Map<string, number>()
  for (const source of sheet.each('accounts')) {
    const field = ifNotTooDeep(source.text, () => fieldOf(source))
    if (field === facts.provider) return null
    if (field !== null) counts.set(field, (counts.get(field) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

/**
 * Returns true if nothing is left to do or unproven: no change, no decision, nothing unclear, and no
 * unreadable file.
 */
export function isDone(plan: Plan): boolean {
  return (
    plan.changes.length === 0 &&
    plan.databases.length === 0 &&
    plan.decisions.every(({ level }) => level === 'know') &&
    plan.skipped.every(({ mayHoldV1 }) => !mayHoldV1)
  )
}

function checkKey(value: string, name: string): string {
  if (/^[\w-]+(\.[\w-]+)*$/.test(value)) return value
  throw new MembershipError('ERR_USAGE', `"${value.slice(0, 50)}" cannot be a ${name}.`, {
    action: `Use letters, digits, - and _, as in --${name} ${name === 'prefix' ? 'membership' : legacyProvider}.`,
  })
}

function checkAccessor(value: string | undefined): string | undefined {
  const name = value?.replace(/\(\)$/, '')
  if (name === undefined || /^[A-Za-z_]\w*$/.test(name)) return name
  throw new MembershipError('ERR_USAGE', `"${name.slice(0, 50)}" cannot be a function's name.`, {
    action: 'Write it as templates call it, as in --accessor membership()',
  })
}

function byPlace(a: Decision, b: Decision): number {
  return (
    compare(a.file ?? '', b.file ?? '') || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
