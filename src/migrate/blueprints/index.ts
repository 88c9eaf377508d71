import { isMap, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { ifNotTooDeep, tooDeep } from '../deep.ts'
import {
  type Decision,
  type Finding,
  type Rewrite,
  type SiteFacts,
  shortPrefix,
  toDecision,
} from '../plan.ts'
import type { Source } from '../source.ts'
import { addField } from './field.ts'
import { renameFlags } from './flags.ts'

/** A parsed blueprint. */
interface Blueprint {
  readonly source: Source
  /** Name below `blueprints/` without its extension: `users/member`. */
  readonly name: string
  readonly contents: YAMLMap | null
}

/**
 * Adds the hidden field for the provider's data to the member blueprints, and renames the fields' `write`
 * flags. All files are processed together, because a blueprint may inherit the field. Comments and layout
 * stay. If the configuration names the roles of members, other roles get no field.
 */
export function planBlueprints(
  sources: readonly Source[],
  facts: SiteFacts,
  roles: readonly string[] | null = null,
): ReadonlyMap<string, Rewrite> {
  const rewrites = new Map<string, Rewrite>()
  const users = new Map<string, Blueprint>()
  const fields = fieldBlueprints(sources)
  const add = (source: Source, { edits, summary, findings }: Rewrite) => {
    const known = rewrites.get(source.file)
    rewrites.set(source.file, {
      edits: [...(known?.edits ?? []), ...edits],
      summary: [...(known?.summary ?? []), ...summary],
      findings: [...(known?.findings ?? []), ...findings],
    })
  }
  for (const source of sources) {
    const name = nameOf(source.file)
    if (isPluginUser(source.file)) {
      add(source, inPlugin(source, facts))
      continue
    }
    const mayHaveFlags = source.text.includes('write') && source.text.includes(shortPrefix(facts))
    if (!mayHaveFlags && !isUser(name)) continue
    const document = ifNotTooDeep(source.text, () => readBlueprint(source.text))
    if (document === null) {
      add(source, tooDeep)
      continue
    }
    const contents = isMap(document.contents) ? document.contents : null
    if (document.errors.length > 0 || (contents === null && document.contents !== null)) {
      add(source, { edits: [], summary: [], findings: [notParsed(document.errors[0]?.pos[0] ?? 0)] })
      continue
    }
    if (contents)
      add(source, ifNotTooDeep(source.text, () => renameFlags(source.text, contents, name, facts)) ?? tooDeep)
    if (isUser(name)) users.set(name, { source, name, contents })
  }
  for (const [home, problem] of homesOf(users, roles, facts)) {
    if (problem) add(home.source, { edits: [], summary: [], findings: [problem] })
    else add(home.source, addField(home.source.text, home.contents, facts, fields))
  }
  return rewrites
}

/**
 * Reads a blueprint as YAML, and else as Kirby's own reader does: it takes `*: true`, `@name`, `%`, `{{ }}`
 * and tabs. Each is replaced by a text of the same length, so that every offset stays.
 */
function readBlueprint(text: string): ReturnType<typeof parseDocument> {
  const document = parseDocument(text, { uniqueKeys: false })
  if (document.errors.length === 0) return document
  const tolerant = parseDocument(tolerated(text), { uniqueKeys: false })
  return tolerant.errors.length === 0 ? tolerant : document
}

function tolerated(text: string): string {
  return text
    .replace(/^[ \t]+/gm, (indent) => indent.replaceAll('\t', ' '))
    .replace(/^([ -]*)\*(?=\s*:)/gm, '$1x')
    .replace(
      /^([ -]*[^\s:#'"][^:\n]*:[ \t]+|[ ]*-[ \t]+)([@%`].*|[^'"|>\s][^\n]*\{\{[^\n]*|\{\{[^\n]*)$/gm,
      (_, key: string, value: string) => key + value.replace(/[^\w\s]/g, 'x'),
    )
}

/** Collects the blueprints of single fields: `fields/stripe`. */
function fieldBlueprints(sources: readonly Source[]): Map<string, YAMLMap> {
  const fields = new Map<string, YAMLMap>()
  for (const { file, text } of sources) {
    const name = /(?:^|\/)blueprints\/(fields\/[^/]+)\.ya?ml$/.exec(file)?.[1]
    if (!name) continue
    const document = ifNotTooDeep(text, () => readBlueprint(text))
    if (document && isMap(document.contents)) fields.set(name, document.contents)
  }
  return fields
}

/** Returns true for a role's blueprint in a plugin. */
function isPluginUser(file: string): boolean {
  return /(?:^|\/)plugins\/.*\bblueprints\/users\/(?!admin\.)[^/]+\.ya?ml$/.test(file)
}

// The plugin's next update would remove an edit, so a finding is reported.
function inPlugin({ text }: Source, facts: SiteFacts): Rewrite {
  const document = ifNotTooDeep(text, () => readBlueprint(text))
  if (document === null) return tooDeep
  const contents = isMap(document.contents) ? document.contents : null
  const wanted = addField(text, contents, facts)
  if (wanted.edits.length === 0) return wanted
  return {
    edits: [],
    summary: [],
    findings: [
      {
        code: 'field-in-plugin',
        at: 0,
        reason: `This blueprint of members belongs to a plugin, so the hidden field "${facts.field}" was not added. Add it there, or copy the blueprint to site/blueprints/users.`,
        replacement: `${facts.field}:\n  type: hidden\n  ${shortPrefix(facts)}: false`,
      },
    ],
  }
}

/** Builds the decision for a site without any blueprint. */
export function missingBlueprint(facts: SiteFacts): Decision {
  return toDecision({
    part: 'blueprints',
    code: 'no-member-blueprint',
    file: null,
    line: null,
    column: null,
    reason: `There is no blueprint for members (blueprints/users/*.yml), so the hidden field "${facts.field}" has no place yet.`,
    replacement: `Make site/blueprints/users/member.yml:\n\ntitle: Member\nfields:\n  ${facts.field}:\n    type: hidden\n    ${shortPrefix(facts)}: false\n`,
  })
}

/** Finds member blueprints written as code, which are read but never changed. */
export function codeBlueprint({ file, text }: Source, facts: SiteFacts): Finding[] {
  const isOwn = /(?:^|\/)blueprints\/users\/(?!admin\.)[^/]+\.php$/.test(file)
  // A plugin may name a YAML file, which is checked separately.
  const at = isOwn ? 0 : text.search(codeUser)
  const hasField = new RegExp(`(['"])${facts.field}\\1\\s*=>\\s*(?:\\[|array\\()[^\\])]{0,400}hidden`).test(
    text,
  )
  if (at === -1 || hasField) return []
  return [
    {
      code: 'field-in-code',
      at,
      reason: `This blueprint of members is written as code, so the hidden field "${facts.field}" was not added.`,
      replacement: `'${facts.field}' => ['type' => 'hidden', '${shortPrefix(facts)}' => false]`,
    },
  ]
}

const codeUser = /(['"])users\/(?!admin\1)[\w-]+\1\s*=>(?!\s*__DIR__\s*\.\s*['"][^'"]*\.ya?ml)/

/** Returns true for a file that describes a kind of user, in YAML or code. */
export function isUserBlueprint(file: string): boolean {
  return (
    isUser(nameOf(file)) ||
    isPluginUser(file) ||
    /(?:^|\/)blueprints\/users\/(?!admin\.)[^/]+\.php$/.test(file)
  )
}

/** Returns true for code that defines a member blueprint: `'blueprints' => ['users/member' => […]]`. */
export function bringsUserBlueprint({ text }: Source): boolean {
  return /(['"])users\/(?!admin\1)[\w-]+\1\s*=>/.test(text)
}

function nameOf(file: string): string {
  return file.includes('plugins/') ? file : (/(?:^|\/)blueprints\/(.+)\.ya?ml$/.exec(file)?.[1] ?? file)
}

function isUser(name: string): boolean {
  return /^users\/[^/]+$/.test(name) || name === 'user'
}

/**
 * Finds the blueprints that get the field: for each kind of member, the last one of its `extends` chain.
 * Where nothing says which of several roles are members, the first is a question. Admins are no members.
 */
function homesOf(
  users: ReadonlyMap<string, Blueprint>,
  roles: readonly string[] | null,
  facts: SiteFacts,
): Map<Blueprint, Finding | null> {
  const homes = new Map<Blueprint, Finding | null>()
  const all = [...users.values()].filter(({ name }) => name !== 'users/admin')
  const named = all.filter(({ name }) => roles?.some((role) => name === `users/${role}`))
  const having = all.filter((blueprint) => hasField(blueprint, facts.field))
  // A role that has no blueprint here may have it in a plugin. A field that is there already is checked.
  const isKnown = named.length > 0 && named.length === roles?.length
  const members = isKnown ? new Set([...named, ...having]) : having.length > 0 ? having : all
  for (const blueprint of members) {
    const chain = [blueprint]
    let problem: Finding | null = null
    for (let next = parentOf(blueprint, users); next; next = parentOf(next, users)) {
      if (chain.includes(next)) {
        problem = circle(chain.at(-1)!)
        break
      }
      chain.push(next)
    }
    homes.set(problem ? blueprint : chain.at(-1)!, problem)
  }
  const isClear = members !== all || homes.size < 2 || [...homes.values()].some((problem) => problem !== null)
  return isClear ? homes : new Map([[all[0]!, whichRole(all, facts)]])
}

function whichRole(all: readonly Blueprint[], facts: SiteFacts): Finding {
  return {
    code: 'which-role',
    at: 0,
    reason: `Several blueprints may be of members (${all.map(({ name }) => name).join(', ')}), and no configuration names their role, so the hidden field "${facts.field}" was added to none.`,
    replacement: `Name the roles in ${facts.prefix}.members.roles and run the migration again, or write into the blueprint of members:\n${facts.field}:\n  type: hidden\n  ${shortPrefix(facts)}: false`,
  }
}

function hasField({ source }: Blueprint, field: string): boolean {
  return source.text.split('\n').some((line) => line.trim().startsWith(`${field}:`))
}

function parentOf({ contents }: Blueprint, users: ReadonlyMap<string, Blueprint>): Blueprint | undefined {
  const parent = contents?.get('extends')
  return typeof parent === 'string' ? users.get(parent) : undefined
}

function circle({ contents }: Blueprint): Finding {
  return {
    code: 'extends-in-a-circle',
    at: (contents?.get('extends', true) as Scalar | undefined)?.range?.[0] ?? 0,
    reason:
      'These blueprints extend each other in a circle, so it is not clear which of them has the fields.',
    replacement: 'Take one "extends" out and run the migration again.',
  }
}

function notParsed(at: number): Finding {
  return {
    code: 'not-parsed',
    at,
    reason:
      'This is no YAML that can be read here, although the CMS may read it. So the hidden field was not looked for.',
    replacement: 'Put the value of this line in quotes and run the migration again.',
  }
}
