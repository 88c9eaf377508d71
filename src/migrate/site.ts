import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MembershipError } from '../errors.ts'
import { planConfig } from './config/plan.ts'
import { applyEdits } from './edits.ts'
import { codeOf, type Found, findFiles } from './find.ts'
import { hashOf } from './hash.ts'
import {
  type Decision,
  type FileChange,
  type Part,
  type Plan,
  parts,
  type Rewrite,
  type SiteFacts,
} from './plan.ts'
import { placeOf, type Source, toBytes, toSource } from './source.ts'

export interface PlanOptions {
  /** The parts to look at; all of them unless told. */
  readonly only?: readonly Part[]
  /** The key of the v1 provider, when it is not `stripe`. */
  readonly provider?: string
  /** The first segment of the configuration keys and the accessor's name, when it is not `membership`. */
  readonly prefix?: string
  readonly onProgress?: (step: string, done: number, all: number) => void
}

/**
 * Finds what a site has and works out what becomes of it. Reads only, and executes nothing of what it reads.
 * Holds one text at a time besides the configuration and the blueprints. O(bytes).
 * @throws ERR_USAGE when there is no such folder
 */
export const planSite = async (folder: string, options: PlanOptions = {}): Promise<Plan> => {
  const { root, found, skipped } = findFiles(folder)
  const provider = options.provider ?? 'stripe'
  const facts: SiteFacts = { provider, prefix: options.prefix ?? 'membership', field: provider }
  checkKey(provider, 'provider')
  const wanted = new Set(options.only ?? parts)
  const site = createSite(root, [...skipped], facts)

  if (wanted.has('config')) site.take('config', planConfig(site.readAll(ofPart(found, 'config')), facts))
  return {
    root,
    facts,
    changes: site.changes,
    decisions: site.decisions.sort(byPlace),
    skipped: site.skipped,
    files: found.length,
    webhooks: [{ provider, path: `/${facts.prefix}/webhooks/${provider}`, isUnchanged: true }],
  }
}

/** Whether a migration has anything left to do: changes, or decisions that ask for a change. */
export const isDone = (plan: Plan): boolean =>
  plan.changes.length === 0 && plan.decisions.every(({ replacement }) => replacement === null)

const ofPart = (found: readonly Found[], part: Found['part']): readonly Found[] =>
  found.filter((one) => one.part === part)

const createSite = (root: string, skipped: { file: string; reason: string }[], facts: SiteFacts) => {
  const changes: FileChange[] = []
  const decisions: Decision[] = []
  const kept = new Map<string, Source>()

  const read = ({ file }: Found): Source | null => {
    try {
      const source = toSource(file, readFileSync(join(root, file)))
      if (typeof source !== 'string') return source
      if (source === 'utf-16')
        skipped.push({ file, reason: 'is UTF-16: save it as UTF-8 and run this again' })
      return null
    } catch (error) {
      skipped.push({ file, reason: `cannot be read: ${codeOf(error)}` })
      return null
    }
  }
  const readAll = (found: readonly Found[]): Source[] =>
    found.flatMap((one) => {
      const source = read(one)
      if (source) kept.set(one.file, source)
      return source ? [source] : []
    })
  const add = (part: Part, source: Source, rewrite: Rewrite): void => {
    const { edits, summary, findings } = rewrite
    if (edits.length > 0) {
      const { file, text, encoding } = source
      const [before, after] = [toBytes(source, text), toBytes(source, applyEdits(text, edits))].map(hashOf)
      changes.push({ part, file, before: before!, after: after!, encoding, edits, summary })
    }
    for (const { at, ...finding } of findings)
      decisions.push({ part, file: source.file, ...placeOf(source.text, at), ...finding })
  }
  const take = (part: Part, rewrites: ReadonlyMap<string, Rewrite>): void => {
    for (const [file, rewrite] of rewrites) add(part, kept.get(file)!, rewrite)
    kept.clear()
  }
  return { facts, changes, decisions, skipped, read, readAll, add, take }
}

const checkKey = (value: string, name: string): void => {
  if (/^[\w-]+$/.test(value)) return
  throw new MembershipError('ERR_USAGE', `"${value}" is no ${name}'s key.`, {
    action: `Use letters, digits, - and _, as in --${name} stripe.`,
  })
}

const byPlace = (a: Decision, b: Decision): number =>
  (a.file ?? '').localeCompare(b.file ?? '') ||
  (a.line ?? 0) - (b.line ?? 0) ||
  (a.column ?? 0) - (b.column ?? 0)
