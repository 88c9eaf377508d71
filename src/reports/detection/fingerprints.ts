import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { RE2JS } from 're2js'
import { parse } from 'yaml'
import { z } from 'zod'
import { MembershipError } from '../../core/errors.ts'
import { channels } from './types.ts'

/** One sign of a system, as a fingerprint file describes it. */
export type Rule = z.infer<typeof ruleSchema>

/** Match of a rule on a page. */
export interface Match {
  readonly text: string
  /** Text of group 1, for a rule with `version: true`. */
  readonly version: string | null
}

/** A compiled rule. Patterns ignore case and run in linear time on any text. */
export interface CompiledRule extends Rule {
  readonly match: (sign: string) => Match | null
}

/** Signs of one system. */
export interface Fingerprint {
  /** Name of the file without `.yml`. */
  readonly key: string
  readonly name: string
  readonly kind: 'cms' | 'frontend'
  /** Key of the system whose files and markup it kept. */
  readonly forkOf: string | null
  /** Addresses that document the signs. */
  readonly sources: readonly string[]
  readonly rules: readonly CompiledRule[]
}

/**
 * Reads every `*.yml` of the folders. A file in a later folder replaces one with the same name.
 * @throws ERR_CONFIG for a folder or file that cannot be read, and for a rule that cannot be used
 */
export function loadFingerprints(folders: readonly string[]): ReadonlyMap<string, Fingerprint> {
  const files = new Map<string, string>()
  for (const folder of folders) for (const name of listFiles(folder)) files.set(name, join(folder, name))
  return new Map(
    [...files].map(([name, path]) => {
      const fingerprint = readFingerprint(name.slice(0, -extname(name).length), path)
      return [fingerprint.key, fingerprint]
    }),
  )
}

const ruleSchema = z.strictObject({
  channel: z.enum(channels),
  /** RE2 syntax: no backreferences, no lookaround. */
  pattern: z.string().min(1).max(500),
  /** Plain text that every matching sign contains. Without it the pattern runs on all signs. */
  contains: z
    .string()
    .min(2)
    .max(200)
    .refine((text) => text === text.toLowerCase(), 'must be in lower case')
    .optional(),
  /** Points out of 100. */
  weight: z.int().min(1).max(100),
  /** Marks group 1 of the pattern as the system's version. */
  version: z.boolean().default(false),
  /** Path that a probe requests, from the root of the website. */
  path: z
    .string()
    .regex(/^\/[!-~]{0,200}$/, 'must begin with a slash')
    .optional(),
})

const fileSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  /** A `frontend` shows content that another system manages, so both may be present. */
  kind: z.enum(['cms', 'frontend']).default('cms'),
  /** Key of the system that this one came from. A page that claims the fork is not the original's. */
  fork_of: z.string().optional(),
  /** Addresses of documentation, or of sources under a permissive licence. */
  sources: z.array(z.url()).max(20).default([]),
  rules: z.array(ruleSchema).min(1).max(100),
})

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => extname(name) === '.yml')
      .sort()
  } catch (cause) {
    throw broken(`The folder ${folder} cannot be read`, `Create ${folder}, or take it out.`, cause)
  }
}

function readFingerprint(key: string, path: string): Fingerprint {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(key))
    throw broken(
      `${path}: the name of a fingerprint is made of lower-case letters, digits and "-"`,
      'Rename it.',
    )
  const parsed = fileSchema.safeParse(readYaml(path))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw broken(`${path}: ${toPlace(issue!.path)}: ${issue!.message}`)
  }
  const { name, kind, fork_of: forkOf = null, sources, rules } = parsed.data
  return {
    key,
    name,
    kind,
    forkOf,
    sources,
    rules: rules.map((rule, at) => compile(rule, `${path}: rule ${at + 1}`)),
  }
}

function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw broken(`${path} cannot be read: ${reason}`, `Correct ${path}.`, cause)
  }
}

/** Formats `rules.2.weight` with counting from one: rule 3, weight. */
function toPlace([first, at, ...rest]: readonly PropertyKey[]): string {
  return typeof at === 'number' ? [`rule ${at + 1}`, ...rest].join(', ') : String(first ?? 'the file')
}

function compile(rule: Rule, place: string): CompiledRule {
  const pattern = compilePattern(rule, place)
  if ((rule.channel === 'probe') !== (rule.path !== undefined))
    throw broken(`${place}: "path" belongs to rules of the channel probe, and each of them needs one`)
  if (rule.version && pattern.groupCount() === 0)
    throw broken(`${place}: "version" needs a group in the pattern: ${rule.pattern}`)
  return {
    ...rule,
    match: (sign) => {
      // Testing for a match is ten times faster than finding it, and nearly always there is none.
      if (!pattern.test(sign)) return null
      const matcher = pattern.matcher(sign)
      if (!matcher.find()) return null
      return { text: matcher.group() ?? '', version: (rule.version && matcher.group(1)) || null }
    },
  }
}

function compilePattern(rule: Rule, place: string): RE2JS {
  try {
    return RE2JS.compile(rule.pattern, RE2JS.CASE_INSENSITIVE)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw broken(
      `${place}: the pattern ${rule.pattern} cannot be used: ${reason}`,
      'Write it without backreferences and without looking around (RE2 syntax).',
      cause,
    )
  }
}

function broken(message: string, action = 'Correct the file.', cause?: unknown): MembershipError {
  return new MembershipError('ERR_CONFIG', message, { action, cause })
}
