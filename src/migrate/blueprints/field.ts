import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import { indentAt, lineEnd, newlineOf } from '../lines.ts'
import { nothing, type Rewrite, type SiteFacts, shortPrefix } from '../plan.ts'
import { flagNames } from './flags.ts'
import { endOf, pairEnd } from './pairs.ts'

/**
 * Adds the hidden field at the end of the first group of fields: at the top level, else in sections, columns
 * or tabs.
 */
export function addField(
  text: string,
  contents: YAMLMap | null,
  facts: SiteFacts,
  fields: FieldBlueprints = new Map(),
): Rewrite {
  const places = contents ? [...fieldsOf(contents)] : []
  for (const { map } of places) {
    const known = map?.items.find(({ key }) => isScalar(key) && key.value === facts.field)
    if (known) return checkField(text, known, facts, fields)
  }
  const place = places[0]
  if (place) return place.map?.flow ? inFlow(text, place.map, facts) : inBlock(text, place, facts)
  const layout = contents?.items.find(
    ({ key }) => isScalar(key) && /^(tabs|columns|sections)$/.test(String(key.value)),
  )
  if (
    layout &&
    isScalar(layout.key) &&
    layout.key.value === 'sections' &&
    isMap(layout.value) &&
    !layout.value.flow
  )
    return inSection(text, layout.value, facts)
  return layout ? noPlace(layout, facts) : atTheEnd(text, contents, facts)
}

interface Place {
  /** The pair `fields: …`. */
  readonly pair: Pair
  /** null if it is empty. */
  readonly map: YAMLMap | null
}

function* fieldsOf(map: YAMLMap, depth = 0): Generator<Place> {
  const at = (name: string) => map.items.find(({ key }) => isScalar(key) && key.value === name)
  const fields = at('fields')
  if (fields && (isMap(fields.value) || isNothing(fields.value)))
    yield { pair: fields, map: isMap(fields.value) ? fields.value : null }
  if (depth > 4) return
  for (const name of ['sections', 'columns', 'tabs']) {
    const holder = at(name)?.value
    const inner = isMap(holder) ? holder.items.map(({ value }) => value) : isSeq(holder) ? holder.items : []
    for (const part of inner) if (isMap(part)) yield* fieldsOf(part, depth + 1)
  }
}

function isNothing(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null)
}

function inBlock(text: string, { pair, map }: Place, facts: SiteFacts): Rewrite {
  const own = (pair.key as Node).range?.[0] ?? 0
  const last = map?.items.at(-1)
  const outer = indentAt(text, own)
  const first = map?.items[0]
  const indent = first ? indentAt(text, (first.key as Node).range?.[0] ?? 0) : `${outer}  `
  const step = indent.length > outer.length && !outer.includes('-') ? indent.slice(outer.length) : '  '
  const end = lineEnd(text, last ? pairEnd(text, last) : endOf(text, pair.key as Node))
  return added(end, lines(text, indent, step, facts), facts)
}

/** Adds a section of the type fields to sections without fields. */
function inSection(text: string, sections: YAMLMap, facts: SiteFacts): Rewrite {
  const last = sections.items.at(-1)!
  const indent = indentAt(text, (sections.items[0]!.key as Node).range?.[0] ?? 0)
  const eol = newlineOf(text)
  const inner = `${indent}  `
  const section = `${eol}${indent}${shortPrefix(facts)}:${eol}${inner}type: fields${eol}${inner}fields:`
  return added(lineEnd(text, pairEnd(text, last)), section + lines(text, `${inner}  `, '  ', facts), facts)
}

function inFlow(text: string, map: YAMLMap, facts: SiteFacts): Rewrite {
  const last = map.items.at(-1)
  const field = `${facts.field}: { type: hidden, ${shortPrefix(facts)}: false }`
  if (last) return added(pairEnd(text, last), `, ${field}`, facts)
  return added((map.range?.[0] ?? 0) + 1, ` ${field} `, facts)
}

function atTheEnd(text: string, contents: YAMLMap | null, facts: SiteFacts): Rewrite {
  if (contents?.flow) return noPlace(contents.items[0]!, facts)
  const last = contents?.items.at(-1)
  const eol = newlineOf(text)
  const own = `fields:${lines(text, '  ', '  ', facts)}`
  if (!last) return added(text.length, `${text === '' || text.endsWith('\n') ? '' : eol}${own}${eol}`, facts)
  return added(lineEnd(text, pairEnd(text, last)), `${eol}${own}`, facts)
}

function lines(text: string, indent: string, step: string, facts: SiteFacts): string {
  const eol = newlineOf(text)
  return `${eol}${indent}${facts.field}:${eol}${indent}${step}type: hidden${eol}${indent}${step}${shortPrefix(facts)}: false`
}

function added(at: number, insert: string, facts: SiteFacts): Rewrite {
  return {
    edits: [{ start: at, end: at, text: insert }],
    summary: [`hidden field "${facts.field}" added`],
    findings: [],
  }
}

/** Blueprints of single fields by name: `fields/stripe`. */
export type FieldBlueprints = ReadonlyMap<string, YAMLMap>

/** Checks that the field is closed: a member who can write it could give herself a subscription. */
function checkField(text: string, pair: Pair, facts: SiteFacts, fields: FieldBlueprints): Rewrite {
  const at = (pair.key as Node).range?.[0] ?? 0
  const { value } = pair
  const wanted = `${facts.field}:\n  type: hidden\n  ${shortPrefix(facts)}: false`
  const finding = (code: string, reason: string): Rewrite => ({
    ...nothing,
    findings: [{ code, at, reason, replacement: wanted }],
  })
  const base = baseOf(value, fields)
  const type = (isMap(value) ? value.get('type') : undefined) ?? base?.get('type')
  if (type !== 'hidden')
    return finding(
      'field-is-not-hidden',
      `The field "${facts.field}" keeps the provider's data in version 2 and has to be of the type hidden; here it is something else.`,
    )
  const flag = (isMap(value) ? flagOf(value, facts) : undefined) ?? (base && flagOf(base, facts))
  if (flag === false) return nothing
  const isOpen = flag !== undefined
  if (isOpen || !isMap(value) || value.flow)
    return finding(
      'field-is-not-closed',
      `Members may change the field "${facts.field}" themselves, and with it what they have bought.`,
    )
  const last = value.items.at(-1)!
  const indent = indentAt(text, (value.items[0]!.key as Node).range?.[0] ?? 0)
  const insert = `${newlineOf(text)}${indent}${shortPrefix(facts)}: false`
  return {
    edits: [
      { start: lineEnd(text, pairEnd(text, last)), end: lineEnd(text, pairEnd(text, last)), text: insert },
    ],
    summary: [`field "${facts.field}" closed to its member`],
    findings: [],
  }
}

/** Returns the blueprint that a field is based on: `stripe: fields/stripe`, or `extends: fields/stripe`. */
function baseOf(value: unknown, fields: FieldBlueprints): YAMLMap | undefined {
  const name = isScalar(value) ? value.value : isMap(value) ? value.get('extends') : undefined
  return typeof name === 'string' ? fields.get(name) : undefined
}

function flagOf(map: YAMLMap, facts: SiteFacts): unknown {
  const own = map.items.find(({ key }) => isScalar(key) && flagNames(facts).includes(String(key.value)))
  return own && map.get(own.key)
}

function noPlace(pair: Pair, facts: SiteFacts): Rewrite {
  return {
    ...nothing,
    findings: [
      {
        code: 'no-place-for-the-field',
        at: (pair.key as Node).range?.[0] ?? 0,
        reason: `This blueprint has no fields that the hidden field "${facts.field}" could join.`,
        replacement: `fields:\n  ${facts.field}:\n    type: hidden\n    ${shortPrefix(facts)}: false`,
      },
    ],
  }
}
